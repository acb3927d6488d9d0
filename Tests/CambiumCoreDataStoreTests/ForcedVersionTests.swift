import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// Versions that are taken by force, and what they have renamed.
struct ForcedVersionTests {
    @Test
    func `a version taken by force gives what is missing its default, and leaves out the rest`()
        throws
    {
        let more = Attribute(name: "weight", type: .int32, defaultValue: .constant(.int(5)))
        let store = try Shelf.store(
            changes: "ALTER TABLE ZPLACE ADD COLUMN ZOLD VARCHAR; UPDATE ZPLACE SET ZOLD = 'x'")
        let report = try store.importStore([Shelf.model, Shelf.version("2", with: [more])]) {
            $0.writtenBy = "2"
        }
        #expect(try store.rows("SELECT DISTINCT weight FROM Item") == [["5"]])
        #expect(report.omittedTables == ["ZPLACE.ZOLD"])
        #expect(report.omittedParts.first?.rows == 2)
        #expect(report.differences.count == 2)
        #expect(!report.isComplete)
    }

    /// A version that renames an entity, and a store that has it under the former name.
    private let renamed = Model(
        name: "M", version: "2",
        entities: [
            Entity(
                name: "Movie", renamedFrom: "Film", attributes: [.optional("title", .string)])
        ])

    private func filmStore(hashed entity: String, table: String) throws -> OldStore {
        try OldStore(
            entities: [(1, "Film", 0, 2)], hash: [1], of: entity,
            sql: """
                CREATE TABLE \(table) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZTITLE VARCHAR);
                INSERT INTO \(table) VALUES (1, 1, 1, 'Night'), (2, 1, 1, 'Day');
                """)
    }

    @Test func `a store that was migrated in place may have an entity under its former name`()
        throws
    {
        let store = try filmStore(hashed: "Movie", table: "ZMOVIE")
        let report = try store.importStore([renamed])
        #expect(report.isComplete)
        #expect(report.entities.map(\.entity) == ["Movie"])
        #expect(try store.rows("SELECT title FROM Movie ORDER BY _id") == [["Night"], ["Day"]])
    }

    @Test func `a store from before an entity was renamed is taken by force only`() throws {
        let store = try filmStore(hashed: "Film", table: "ZFILM")
        let words = "the store has the entity Movie under its former name Film"
        guard
            case .fitsNoVersion(let mismatch)? = importError({
                _ = try store.importStore([renamed])
            })
        else {
            Issue.record("it was imported")
            return
        }
        #expect(mismatch.differences == [words])
        let report = try store.importStore([renamed]) { $0.writtenBy = "2" }
        #expect(report.formerNames == [words])
        #expect(report.isComplete)
        #expect(report.text.contains("Under former names:\n  \(words)"))
        #expect(try store.rows("SELECT count(*) FROM Movie") == [["2"]])
    }

    @Test func `what a version renames is taken by force from where it was, and is whole`() throws {
        let store = try Shelf.store()
        let renamed = Model(
            name: "Shelf", version: "2",
            entities: Shelf.model.entities.map { entity in
                switch entity.name {
                case "Item":
                    Entity(
                        name: "Item",
                        attributes: [
                            Attribute(name: "name", type: .string, renamedFrom: "title")
                        ],
                        relationships: [
                            Relationship(
                                name: "shelf", destination: "Place", inverse: "items",
                                renamedFrom: "place"),
                            Relationship(
                                name: "labels", destination: "Tag", inverse: "items",
                                isToMany: true, renamedFrom: "tags", isOrdered: true),
                            Relationship(
                                name: "likes", destination: "Item", inverse: "likes",
                                isToMany: true),
                        ])
                case "Place":
                    Entity(
                        name: "Place", attributes: entity.attributes,
                        relationships: [
                            Relationship(
                                name: "items", destination: "Item", inverse: "shelf",
                                isToMany: true, isOrdered: true),
                            Relationship(name: "guests", destination: "Tag", isToMany: true),
                        ])
                case "Tag":
                    Entity(
                        name: "Tag", attributes: entity.attributes,
                        relationships: [
                            Relationship(
                                name: "items", destination: "Item", inverse: "labels",
                                isToMany: true),
                            Relationship(name: "best", destination: "Item", isOptional: false),
                        ])
                default: entity
                }
            })
        guard
            case .fitsNoVersion(let mismatch)? = importError({
                _ = try store.importStore([renamed])
            })
        else {
            Issue.record("it was imported")
            return
        }
        #expect(
            mismatch.differences == [
                "ZITEM has Item.name under its former name, in ZTITLE",
                "ZITEM has Item.shelf under its former name, in ZPLACE",
                "the links of Item.labels are under a former name, in Z_1TAGS",
            ])
        let report = try store.importStore([renamed]) { $0.writtenBy = "2" }
        #expect(report.isComplete)
        #expect(report.formerNames == mismatch.differences)
        #expect(try store.rows("SELECT name FROM Item WHERE _id = 2") == [["Trees"]])
        #expect(
            try store.rows("SELECT _id FROM Item WHERE shelf = 1 ORDER BY shelf_position")
                == [["2"], ["1"]])
        #expect(
            try store.rows(
                "SELECT _destination FROM Item_labels WHERE _source = 2 ORDER BY _source_position")
                == [["4"], ["1"]])
    }
}
