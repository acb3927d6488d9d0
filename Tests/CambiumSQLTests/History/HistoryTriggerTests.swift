import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// What the triggers of the history write, asked of an SQLite without a runtime.
struct HistoryTriggerTests {
    private static let model = Model(
        name: "Library", version: "1",
        entities: [
            Entity(
                name: "Book",
                attributes: [
                    Attribute(name: "title", type: .string, isPreservedAfterDeletion: true),
                    Attribute(name: "pages", type: .int64, isOptional: true),
                    Attribute(name: "cover", type: .data, isOptional: true, isExternal: true),
                ],
                relationships: [
                    Relationship(
                        name: "shelf", destination: "Shelf", inverse: "books", isOptional: true),
                    Relationship(
                        name: "tags", destination: "Tag", inverse: "books", isToMany: true),
                ]),
            Entity(
                name: "Shelf",
                relationships: [
                    Relationship(
                        name: "books", destination: "Book", inverse: "shelf", isToMany: true,
                        isOrdered: true)
                ]),
            Entity(
                name: "Tag",
                relationships: [
                    Relationship(
                        name: "books", destination: "Book", inverse: "tags", isToMany: true)
                ]),
        ])

    private func store(
        _ model: Model = model, _ content: HistorySettings.Content = .properties
    ) throws -> Connection {
        let connection = try Connection(path: ":memory:")
        let schema = Schema(of: model)
        for statement in schema.statements + HistorySQL.createStatements {
            try connection.execute(statement)
        }
        for trigger in HistoryTriggers(of: schema, model, content).triggers {
            try connection.execute(trigger.createStatement)
        }
        return connection
    }

    /// The changes as words.
    private func changes(_ connection: Connection) throws -> [String] {
        try connection.rows(HistorySQL.changesBetween, [.integer(0), .integer(.max)]).map { row in
            guard case .integer(let kind) = row[1], case .text(let entity) = row[2],
                case .integer(let key) = row[3], case .text(let properties) = row[4]
            else { return "\(row)" }
            return "\(["insert", "update", "delete"][Int(kind)]) \(entity) \(key)\(properties)"
        }
    }

    private func values(_ connection: Connection) throws -> [[StoredValue]] {
        try connection.rows(HistorySQL.valuesBetween, [.integer(0), .integer(.max)])
    }

    @Test func `each row is written once, with the names of what differs`() throws {
        let connection = try store()
        try connection.execute(
            """
            INSERT INTO Book (_id, title, pages) VALUES (1, 'a', 1), (2, 'b', 2);
            UPDATE Book SET title = 'c', pages = 2, _version = _version + 1;
            DELETE FROM Book WHERE _id = 2
            """)
        #expect(
            try changes(connection) == [
                "insert Book 1", "insert Book 2", "update Book 1 title pages",
                "update Book 2 title", "delete Book 2",
            ])
    }

    @Test func `a key writes the objects that it led and leads to`() throws {
        let connection = try store()
        try connection.execute(
            """
            INSERT INTO Shelf (_id) VALUES (1), (2);
            INSERT INTO Book (_id, title, shelf) VALUES (7, 'a', 1);
            UPDATE Book SET shelf = 2; UPDATE Book SET title = 'b'; DELETE FROM Book
            """)
        #expect(
            try changes(connection) == [
                "insert Shelf 1", "insert Shelf 2", "insert Book 7", "update Shelf 1 books",
                "update Book 7 shelf", "update Shelf 1 books", "update Shelf 2 books",
                "update Book 7 title", "delete Book 7", "update Shelf 2 books",
            ])
    }

    @Test func `a place writes the owner of the list and no member`() throws {
        let connection = try store()
        try connection.execute(
            """
            INSERT INTO Shelf (_id) VALUES (1);
            INSERT INTO Book (_id, title, shelf) VALUES (7, 'a', 1);
            DELETE FROM _history_changes;
            UPDATE Book SET shelf_position = 5; UPDATE Book SET shelf_position = 5
            """)
        #expect(try changes(connection) == ["update Shelf 1 books"])
    }

    @Test func `a pair writes both ends`() throws {
        let connection = try store()
        try connection.execute(
            """
            INSERT INTO Book (_id, title) VALUES (7, 'a'); INSERT INTO Tag (_id) VALUES (3);
            DELETE FROM _history_changes;
            INSERT INTO Book_tags (_source, _destination) VALUES (7, 3); DELETE FROM Book_tags
            """)
        #expect(
            try changes(connection) == [
                "update Book 7 tags", "update Tag 3 books", "update Book 7 tags",
                "update Tag 3 books",
            ])
    }

    @Test func `of a deleted row stays what the model preserves`() throws {
        let connection = try store()
        try connection.execute(
            "INSERT INTO Book (_id, title, pages) VALUES (1, 'a', 1); DELETE FROM Book")
        #expect(
            try values(connection) == [[.integer(2), .text("title"), .text("a"), .null]])
    }

    @Test func `values are kept in their types, and those in files are not`() throws {
        let connection = try store(Self.model, .values)
        try connection.execute(
            """
            INSERT INTO Book (_id, title, pages, cover) VALUES (1, '1', 1, x'0102');
            UPDATE Book SET title = '2', pages = NULL, cover = NULL; DELETE FROM Book
            """)
        #expect(
            try values(connection) == [
                [.integer(1), .text("pages"), .null, .integer(1)],
                [.integer(1), .text("title"), .null, .text("1")],
                [.integer(2), .text("pages"), .integer(1), .null],
                [.integer(2), .text("title"), .text("1"), .text("2")],
                [.integer(3), .text("title"), .text("2"), .null],
            ])
        #expect(try changes(connection)[1] == "update Book 1 title pages cover")
    }

    @Test func `an entity may have more properties than an expression may be deep`() throws {
        let names = (0..<1200).map { "p\($0)" }
        let wide = Model(
            name: "Wide", version: "1",
            entities: [
                Entity(
                    name: "Wide",
                    attributes: names.map { Attribute(name: $0, type: .int64, isOptional: true) })
            ])
        let connection = try store(wide, .values)
        try connection.execute(
            "INSERT INTO Wide (_id, p0, p1199) VALUES (1, 1, 2); UPDATE Wide SET p0 = 2, p700 = 3")
        #expect(try changes(connection) == ["insert Wide 1", "update Wide 1 p0 p700"])
    }

    @Test func `names of other programs' triggers are told from those of the history`() throws {
        let connection = try store()
        try connection.execute(
            "CREATE TRIGGER history AFTER INSERT ON Book BEGIN SELECT 1; END")
        let triggers = try connection.rows(StoreTrigger.query).compactMap(StoreTrigger.init)
        #expect(triggers.filter { !$0.isOfHistory }.map(\.name) == ["history"])
        #expect(
            triggers.count == 1
                + HistoryTriggers(of: Schema(of: Self.model), Self.model, .properties).triggers
                .count)
    }
}
