import Foundation
import ProgramRuns
import RawSQLite

/// A store in Core Data's format, filled with SQL. Seven tenths of the objects are items with
/// values of ten types. Parties of two kinds have an ordered list of items each. Tags belong to
/// many items.
struct CoreDataStore {
    let rows: Int
    let links: Int
    let path: String
    let bundle: String

    private static let tables = ["ZITEM", "ZPARTY", "ZTAG", "Z_1TAGS"]

    /// Writes the store and its model into a folder.
    init(rows: Int, in folder: String) throws {
        self.rows = rows
        path = "\(folder)/old.sqlite"
        bundle = "\(folder)/Shop.xcdatamodeld"
        let version = "\(bundle)/Shop.xcdatamodel"
        try FileManager.default.createDirectory(
            atPath: version, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: URL(fileURLWithPath: "\(version)/contents"))
        let (parties, tags) = (rows / 5, rows / 10)
        let items = rows - parties - tags
        links = items
        let database = try Database(path)
        try database.execute(Self.definitions)
        try database.execute(Self.indexes)
        let metadata = try PropertyListSerialization.data(
            fromPropertyList: [
                "NSStoreModelVersionIdentifiers": ["shop 1"],
                "NSStoreModelVersionHashesVersion": 3, "NSPersistenceFrameworkVersion": 1344,
                "NSStoreType": "SQLite",
            ], format: .binary, options: 0)
        let hexadecimal = metadata.map { String(format: "%02x", $0) }.joined()
        try database.execute(
            """
            BEGIN;
            INSERT INTO Z_METADATA VALUES (1, '\(UUID().uuidString)', x'\(hexadecimal)');
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, \(items)), (2, 'Party', 0, \(parties)),
                (3, 'Company', 2, 0), (4, 'Person', 2, 0), (5, 'Tag', 0, \(tags));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(parties))
            INSERT INTO ZPARTY SELECT i, 3 + i % 2, 1, iif(i % 2 = 0, i % 100000, NULL),
                iif(i % 2 = 1, i * -86.25, NULL), 'Party number ' || i FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(tags))
            INSERT INTO ZTAG SELECT i, 5, 1, 'tag ' || i FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(items))
            INSERT INTO ZITEM SELECT i, 1, 1 + i % 4, i % 1000, i % 2, 1 + i * 7919 % \(parties),
                3 + (1 + i * 7919 % \(parties)) % 2, i / \(parties) * 1024, i / 7.0,
                700000000.125 + i, i * 0.25, 'https://example.org/items/' || i,
                'Item number ' || i || ' of them', randomblob(40), randomblob(16) FROM n;
            INSERT INTO Z_1TAGS SELECT Z_PK, 1 + Z_PK * 104729 % \(tags) FROM ZITEM;
            COMMIT;
            """)
        try database.checkpoint()
    }

    /// The size of the file.
    var megabytes: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return ((attributes?[.size] as? Int) ?? 0) >> 20
    }

    /// Copies the tables into a new database in the fastest way that SQL has, and returns the
    /// seconds.
    func copy(to other: String, withIndexes: Bool) throws -> Double {
        let time = try ContinuousClock().measure {
            let database = try Database(other)
            try database.execute(Self.definitions)
            if withIndexes { try database.execute(Self.indexes) }
            try database.execute("ATTACH '\(path)' AS old")
            let copies = Self.tables.map { "INSERT INTO main.\($0) SELECT * FROM old.\($0);" }
            try database.execute("BEGIN; \(copies.joined(separator: " ")) COMMIT")
            try database.checkpoint()
        }
        return time / .seconds(1)
    }

    private static let definitions = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
            Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNT INTEGER,
            ZISNEW INTEGER, ZOWNER INTEGER, Z2_OWNER INTEGER, Z_FOK_OWNER INTEGER, ZWEIGHT FLOAT,
            ZMADE TIMESTAMP, ZPRICE DECIMAL, ZLINK VARCHAR, ZTITLE VARCHAR, ZBYTES BLOB, ZTOKEN BLOB );
        CREATE TABLE ZPARTY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCODE INTEGER,
            ZBORN TIMESTAMP, ZNAME VARCHAR );
        CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR );
        CREATE TABLE Z_1TAGS ( Z_1ITEMS INTEGER, Z_5TAGS INTEGER,
            PRIMARY KEY (Z_1ITEMS, Z_5TAGS) );
        """

    private static let indexes = """
        CREATE INDEX ZITEM_ZOWNER_INDEX ON ZITEM (ZOWNER, Z2_OWNER);
        CREATE INDEX ZPARTY_Z_ENT_INDEX ON ZPARTY (Z_ENT);
        CREATE INDEX Z_1TAGS_Z_5TAGS_INDEX ON Z_1TAGS (Z_5TAGS, Z_1ITEMS);
        """

    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        userDefinedModelVersionIdentifier="shop 1">
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
}

/// A database, opened with the C library alone.
private final class Database {
    // Safety: made in `init`, freed once in `deinit`, and used by one isolation only since this
    // class is not Sendable.
    private let handle: OpaquePointer

    init(_ path: String) throws {
        guard let opened = raw_open(path, false, "", "", "", "", "") else {
            throw BenchmarkError("out of memory")
        }
        handle = opened
        guard raw_is_open(opened) else { throw BenchmarkError(String(cString: raw_error(opened))) }
    }

    deinit { raw_close(handle) }

    func execute(_ sql: String) throws {
        guard raw_execute(handle, sql) else {
            throw BenchmarkError(String(cString: raw_error(handle)))
        }
    }

    func checkpoint() throws {
        guard raw_checkpoint(handle) else {
            throw BenchmarkError(String(cString: raw_error(handle)))
        }
    }
}
