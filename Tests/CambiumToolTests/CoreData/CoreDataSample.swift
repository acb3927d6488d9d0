import CambiumSQLite
import Foundation

/// A small store as Core Data writes it, and the model that belongs to it: values of every type, a
/// hierarchy, an ordered one-to-many, a many-to-many.
enum CoreDataSample {
    static let identifier = "sample 1"

    static let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        userDefinedModelVersionIdentifier="\(identifier)">
            <entity name="Item">
                <attribute name="bytes" optional="YES" attributeType="Binary"/>
                <attribute name="count" optional="YES" attributeType="Integer 16"/>
                <attribute name="isNew" optional="YES" attributeType="Boolean"/>
                <attribute name="link" optional="YES" attributeType="URI"/>
                <attribute name="made" optional="YES" attributeType="Date"/>
                <attribute name="price" optional="YES" attributeType="Decimal"/>
                <attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="token" optional="YES" attributeType="UUID"/>
                <attribute name="weight" optional="YES" attributeType="Double"/>
                <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Party" inverseName="items" inverseEntity="Party"/>
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Tag" inverseName="items" inverseEntity="Tag"/>
            </entity>
            <entity name="Party" isAbstract="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="items" optional="YES" toMany="YES" ordered="YES" \
        deletionRule="Nullify" destinationEntity="Item" inverseName="owner" inverseEntity="Item"/>
            </entity>
            <entity name="Company" parentEntity="Party">
                <attribute name="code" optional="YES" attributeType="Integer 32"/>
            </entity>
            <entity name="Person" parentEntity="Party">
                <attribute name="born" optional="YES" attributeType="Date"/>
            </entity>
            <entity name="Tag">
                <attribute name="label" optional="YES" attributeType="String"/>
                <relationship name="items" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Item" inverseName="tags" inverseEntity="Item"/>
            </entity>
        </model>
        """

    /// Writes the model's bundle into a folder.
    static func makeBundle(in folder: TemporaryFolder) throws -> String {
        try folder.write(contents, to: "Sample.xcdatamodeld/Sample.xcdatamodel/contents")
        return folder.path("Sample.xcdatamodeld")
    }

    /// Writes the store, in pages of 1 KB so that damage meets more than rows. What was written last
    /// is in its log beside it.
    static func makeStore(at path: String) throws {
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL")
        try connection.execute(tables)
        _ = try connection.rows(
            "INSERT INTO Z_METADATA VALUES (1, 'B9A2B1A4-2F0C-4E53-9C0F-000000000001', ?)",
            [.blob(try metadata)])
        try connection.execute(rows)
        _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        try connection.execute(laterRows)
        // The last connection that is closed takes the log away.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: path + suffix, toPath: "\(path).copy\(suffix)")
        }
    }

    /// The store's bytes, and those of its log.
    static func files(in folder: TemporaryFolder) throws -> [String: Data] {
        let path = folder.path("base.sqlite")
        try makeStore(at: path)
        return [
            "": try Data(contentsOf: URL(fileURLWithPath: path + ".copy")),
            "-wal": try Data(contentsOf: URL(fileURLWithPath: path + ".copy-wal")),
        ]
    }

    private static var metadata: Data {
        get throws {
            try PropertyListSerialization.data(
                fromPropertyList: [
                    "NSStoreModelVersionIdentifiers": [identifier],
                    "NSStoreModelVersionHashes": [
                        "Item": Data(repeating: 1, count: 32), "Tag": Data(repeating: 2, count: 32),
                    ],
                    "NSStoreModelVersionHashesVersion": 3, "NSPersistenceFrameworkVersion": 1344,
                    "NSStoreType": "SQLite", "note": "kept",
                ], format: .binary, options: 0)
        }
    }

    private static let tables = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
            Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNT INTEGER,
            ZISNEW INTEGER, ZOWNER INTEGER, Z2_OWNER INTEGER, Z_FOK_OWNER INTEGER, ZWEIGHT FLOAT,
            ZMADE TIMESTAMP, ZPRICE DECIMAL, ZLINK VARCHAR, ZTITLE VARCHAR, ZBYTES BLOB, ZTOKEN BLOB );
        CREATE INDEX ZITEM_ZOWNER_INDEX ON ZITEM (ZOWNER, Z2_OWNER);
        CREATE TABLE ZPARTY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCODE INTEGER,
            ZBORN TIMESTAMP, ZNAME VARCHAR );
        CREATE INDEX ZPARTY_Z_ENT_INDEX ON ZPARTY (Z_ENT);
        CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR );
        CREATE TABLE Z_1TAGS ( Z_1ITEMS INTEGER, Z_5TAGS INTEGER,
            PRIMARY KEY (Z_1ITEMS, Z_5TAGS) );
        CREATE INDEX Z_1TAGS_Z_5TAGS_INDEX ON Z_1TAGS (Z_5TAGS, Z_1ITEMS);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 160), (2, 'Party', 0, 30),
            (3, 'Company', 2, 0), (4, 'Person', 2, 0), (5, 'Tag', 0, 20);
        """

    private static let rows = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
        INSERT INTO ZPARTY SELECT i, 3 + i % 2, 1 + i % 3, iif(i % 2 = 0, i * 7, NULL),
            iif(i % 2 = 1, i * -86400.25, NULL), 'Party ' || i FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO ZTAG SELECT i, 5, 1, 'tag ' || i FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
        INSERT INTO ZITEM SELECT i, 1, 1 + i % 4, i % 100, i % 2, 1 + i % 30,
            3 + (1 + i % 30) % 2, i * 1024, i / 7.0, 700000000.125 + i, i * 0.25,
            'https://example.org/' || i, iif(i % 10 = 0, NULL, 'Item ' || i || char(233)),
            randomblob(i % 40), randomblob(16) FROM n;
        INSERT INTO Z_1TAGS SELECT Z_PK, 1 + Z_PK % 20 FROM ZITEM;
        """

    private static let laterRows = """
        INSERT INTO Z_1TAGS SELECT Z_PK, 1 + (Z_PK + 7) % 20 FROM ZITEM WHERE Z_PK % 3 = 0;
        INSERT INTO ZITEM SELECT Z_PK + 150, 1, 1, 1, 1, NULL, NULL, NULL, 1.0, 1.0, 1, NULL,
            'later', x'00', randomblob(16) FROM ZITEM WHERE Z_PK <= 10;
        """
}
