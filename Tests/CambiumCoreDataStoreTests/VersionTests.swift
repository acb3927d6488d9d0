import CambiumMigration
import CambiumModel
import Testing

@testable import CambiumCoreDataStore

struct VersionTests {
    private let extended = Shelf.version("2", with: [.optional("weight", .double)])

    @Test func `the version is found by what the tables hold`() throws {
        let store = try Shelf.store()
        let report = try store.importer([extended, Shelf.model]).plan()
        #expect(report.writtenBy == "1")
        #expect(report.foundBy == "structure")
        #expect(report.alsoFits == [])
    }

    @Test func `an identifier tells versions apart that tables do not`() throws {
        let versions = [
            Shelf.version("1", identifier: "one"), Shelf.version("2", identifier: "two"),
            Shelf.version("3", identifier: "three"),
        ]
        let (store, other) = (try Shelf.store(identifiers: ["two"]), try Shelf.store())
        let named = try store.importer(versions).plan()
        #expect(named.writtenBy == "2")
        #expect(named.foundBy == "identifier")
        #expect(named.alsoFits == ["1", "3"])
        let migrations = try zip(versions, versions.dropFirst())
            .map { try Migration(from: $0, to: $1) }
        #expect(try other.importer(versions, migrations).plan().writtenBy == "1")
    }

    @Test func `hashes tell versions apart that tables do not`() throws {
        func list(_ hashes: [(String, UInt8)]) -> VersionHashes? {
            VersionHashes(
                PropertyListBytes.dictionary([
                    (
                        "NSManagedObjectModel_VersionHashes",
                        .dictionary(
                            hashes.map { version, hash in
                                (version, .dictionary([("Item", .data([hash, 1]))]))
                            })
                    )
                ]).bytes)
        }
        let versions = [Shelf.version("1"), Shelf.version("2"), extended]
        let store = try Shelf.store(hash: [7, 1])
        func plan(_ hashes: VersionHashes?) throws -> CoreDataImportReport {
            var importer = try store.importer(versions)
            importer.hashes = hashes
            return try importer.plan()
        }
        let found = try plan(list([("1", 6), ("2", 7)]))
        #expect(found.writtenBy == "2" && found.foundBy == "hashes")
        // A version that was not it is none of those that fit.
        #expect(try plan(list([("1", 6)])).writtenBy == "2")
        #expect(VersionHashes(Data("<plist/>".utf8)) == nil)
        // Hashes that are all others are said to be.
        let error = importError { _ = try plan(list([("1", 5), ("2", 6), ("3", 6)])) }
        guard case .fitsNoVersion(let mismatch)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            mismatch.differences == [
                "the hash of Item is another one than the version's, although all tables fit"
            ])
    }

    @Test func `the only version that fits is taken, whatever the store says of itself`() throws {
        let versions = [
            Shelf.version("1", identifier: "one"),
            Shelf.version("2", identifier: "two", with: [.optional("weight", .double)]),
        ]
        let store = try Shelf.store(identifiers: ["two"])
        let report = try store.importer(versions).plan()
        #expect(report.writtenBy == "1" && report.foundBy == "structure" && report.alsoFits == [])
        #expect(
            report.remarks == [
                "The store names the version '2', which its tables do not fit. '1' is the only "
                    + "version that fits"
            ])
        #expect(report.text.contains(report.remarks[0]))
        #expect(report.json.contains(report.remarks[0]))
    }

    @Test func `the type of a column tells which version fits`() throws {
        func version(_ name: String, _ type: AttributeType) -> Model {
            Model(
                name: "M", version: name,
                entities: [Entity(name: "A", attributes: [.optional("x", type)])],
                identifier: name)
        }
        let store = try OldStore(
            entities: [(1, "A", 0, 1)], identifiers: ["text"],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX INTEGER);
                """)
        let report = try store.importer([version("number", .int64), version("text", .string)])
            .plan()
        #expect(report.writtenBy == "number" && report.remarks.count == 1)
    }

    @Test func `a store is refused where several versions fit, and not the one it names`() throws {
        let versions = [
            Shelf.version("1", identifier: "one"), Shelf.version("2", identifier: "two"),
            Shelf.version("3", identifier: "three", with: [.optional("weight", .double)]),
        ]
        let store = try Shelf.store(identifiers: ["three"])
        guard
            case .fitsNoVersion(let mismatch)? = importError({ _ = try store.importStore(versions) }
            )
        else {
            Issue.record("it was imported")
            return
        }
        #expect(mismatch.differences.isEmpty && mismatch.named?.version == "3")
        #expect(mismatch.named?.differences == ["ZITEM has no column for Item.weight"])
        #expect(
            mismatch.description.contains(
                "fits several versions of Shelf ('2', '1'), and not the version that it names. Say "
                    + "which of them wrote it. It names '3', with 1 difference"))
        #expect(store.files == ["Old.sqlite"])
    }

    @Test
    func `the nearest version is the one with the fewest differences`()
        throws
    {
        let far: [Attribute] = [.optional("weight", .double), .optional("colour", .string)]
        let versions = [
            Shelf.version("1", identifier: "one", with: [.optional("weight", .double)]),
            Shelf.version("2", identifier: "two", with: far),
        ]
        func mismatch(_ identifier: String) throws -> VersionMismatch {
            let store = try Shelf.store(identifiers: [identifier])
            guard
                case .fitsNoVersion(let found)? = importError({
                    _ = try store.importStore(versions)
                })
            else { throw CoreDataImportError.cancelled }
            return found
        }
        let two = try mismatch("two")
        #expect(two.nearest == "1" && two.differences.count == 1)
        #expect(two.named?.version == "2" && two.named?.differences.count == 2)
        #expect(two.versions.map(\.version) == ["1", "2"])
        #expect(two.description.contains("It names '2', with 2 differences"))
        #expect(two.description.contains("The nearest is '1', with 1 difference"))
        let one = try mismatch("one")
        #expect(one.nearest == "1" && one.named?.version == "1")
        #expect(one.description.contains("No other version is nearer"))
        #expect(try mismatch("none").named == nil)
    }

    @Test func `a store of another model is refused as such`() throws {
        let other = Model(
            name: "Zoo", version: "1",
            entities: [Entity(name: "Cat"), Entity(name: "Dog", renamedFrom: "Wolf")])
        let store = try Shelf.store()
        guard
            case .fitsNoVersion(let mismatch)? = importError({ _ = try store.importStore([other]) })
        else {
            Issue.record("it was imported")
            return
        }
        #expect(mismatch.isUnrelated)
        #expect(mismatch.description.contains("was written by another model than Zoo"))
        #expect(mismatch.description.contains("(Item, Book, Film, Place, Tag)"))
        #expect(mismatch.json.contains("\"unrelated\" : true"))
        // One entity that both have is enough for a doubt, also under a former name.
        let near = Model(
            name: "Zoo", version: "1", entities: [Entity(name: "X", renamedFrom: "Tag")])
        guard case .fitsNoVersion(let doubt)? = importError({ _ = try store.importStore([near]) })
        else {
            Issue.record("it was imported")
            return
        }
        #expect(!doubt.isUnrelated)
    }

    @Test(arguments: [
        ("ALTER TABLE ZITEM ADD COLUMN ZCOLOUR VARCHAR", "ZITEM has a column ZCOLOUR"),
        ("DROP TABLE Z_1TAGS", "no table for the links of Item.tags"),
        (
            "ALTER TABLE ZITEM DROP COLUMN Z_FOK_PLACE",
            "ZITEM has no column Z_FOK_PLACE, which the order of Place.items is kept in"
        ),
        (
            "ALTER TABLE Z_1TAGS DROP COLUMN Z_FOK_5TAGS1",
            "Z_1TAGS has no column Z_FOK_5TAGS1, which the order of Item.tags is kept in"
        ),
        (
            "CREATE TABLE Z_4OWNERS (Z_4OWNERS INTEGER, Z_5PLACES INTEGER)",
            "a table of links Z_4OWNERS"
        ),
        ("INSERT INTO Z_PRIMARYKEY VALUES (6, 'Owner', 0, 0)", "has an entity Owner"),
        ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Movie' WHERE Z_ENT = 3", "no entity Film"),
        ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 2 WHERE Z_ENT = 3", "Film inherits from Book"),
        (
            "ALTER TABLE ZPLACE DROP COLUMN ZNAME; ALTER TABLE ZPLACE ADD COLUMN ZNAME BLOB",
            "ZPLACE.ZNAME is BLOB"
        ),
    ])
    func `what the store has and the version has not is a difference`(
        change: String, words: String
    ) throws {
        let store = try Shelf.store(changes: change)
        guard
            case .fitsNoVersion(let mismatch)? = importError({
                _ = try store.importStore([extended, Shelf.model])
            })
        else {
            Issue.record("it was imported")
            return
        }
        #expect(mismatch.nearest == "1")
        #expect(mismatch.differences.contains { $0.contains(words) })
        #expect(mismatch.versions.map(\.version) == ["1", "2"])
        #expect(mismatch.json.contains("\"refused\" : true"))
    }

    @Test func `texts of a store are cut where it fits no version`() throws {
        let text = String(repeating: "x", count: 1_000_000)
        for entity in ["Item", text] {
            let store = try OldStore(
                entities: [(1, entity, 0, 0), (2, text + "y", 0, 0)], identifiers: [text, text],
                sql: "")
            let error = try #require(importError { _ = try store.importStore([Shelf.model]) })
            guard case .fitsNoVersion = error else {
                Issue.record("\("\(error)".prefix(200))")
                continue
            }
            #expect("\(error)".utf8.count < 50_000)
        }
    }

    @Test func `a version that is not there is named with those that are`() throws {
        let store = try Shelf.store()
        let error = importError { _ = try store.importStore([Shelf.model]) { $0.writtenBy = "9" } }
        #expect(error == .noSuchVersion("9", known: ["1"]))
    }

    @Test func `a store of a configuration has the entities of that`() throws {
        let part = Configuration(name: "Places", entities: ["Place", "Tag"])
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(name: "Place", attributes: [.optional("name", .string)]),
                Entity(name: "Tag"), Entity(name: "Other"),
            ], configurations: [part])
        let store = try OldStore(
            entities: [(1, "Place", 0, 1), (2, "Tag", 0, 0)],
            sql: """
                CREATE TABLE ZPLACE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
                CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                INSERT INTO ZPLACE VALUES (1, 1, 1, 'Hall');
                """)
        #expect(try store.importStore([model]).isComplete)
        #expect(try store.rows("SELECT count(*) FROM Other") == [["0"]])
    }
}
