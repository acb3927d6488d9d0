import CambiumAuthoring
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

struct StoreExporterTests {
    private static let model = Model(
        name: "Shop", version: "2",
        entities: [
            Entity(
                name: "Tag", attributes: [Attribute(name: "label", type: .string)],
                relationships: [
                    Relationship(
                        name: "items", destination: "Item", inverse: "tags", isToMany: true)
                ]),
            Entity(
                name: "Item", isAbstract: true,
                attributes: [
                    Attribute(name: "name", type: .string),
                    Attribute(name: "note.text", type: .string, isOptional: true),
                    Attribute(name: "note.place.x", type: .double, isOptional: true),
                    Attribute(name: "scratch", type: .int16, isOptional: true, isTransient: true),
                ],
                compositeAttributes: [
                    CompositeAttribute(name: "note", composite: "Note", isOptional: true),
                    CompositeAttribute(name: "note.place", composite: "Place", isOptional: true),
                ],
                relationships: [
                    Relationship(
                        name: "tags", destination: "Tag", inverse: "items", isToMany: true,
                        isOrdered: true),
                    Relationship(name: "twin", destination: "Item", inverse: "twinOf"),
                    Relationship(name: "twinOf", destination: "Item", inverse: "twin"),
                ]),
            Entity(
                name: "Book", parent: "Item",
                attributes: [Attribute(name: "code", type: .codable("Code"), isOptional: true)],
                relationships: [
                    Relationship(
                        name: "pages", destination: "Page", inverse: "book", isToMany: true,
                        isOrdered: true)
                ]),
            Entity(
                name: "Disc", parent: "Item",
                attributes: [Attribute(name: "code", type: .int32, isOptional: true)]),
            Entity(
                name: "Page",
                attributes: [
                    Attribute(name: "picture", type: .data, isOptional: true, isExternal: true)
                ],
                relationships: [Relationship(name: "book", destination: "Book", inverse: "pages")]),
        ],
        composites: [
            Composite(name: "Note", attributes: []), Composite(name: "Place", attributes: []),
        ])

    private static let rows = """
        INSERT INTO "Tag" (_id, _version, label) VALUES (1, 1, 'a "b"'), (2, 1, 'é');
        INSERT INTO "Item" (_id, _version, _entity, name, note_text, note_place_x, Book_code,
            Disc_code, twin, twin_entity) VALUES
            (1, 1, 'Book', 'One', 'n', NULL, '{"b": 1}', NULL, 3, 'Disc'),
            (3, 1, 'Disc', 'Three', NULL, NULL, NULL, 7, NULL, NULL),
            (4, 1, 'Book', 'Four', NULL, 0.5, 'no JSON', NULL, NULL, NULL);
        INSERT INTO "Item_tags" (_source, _destination, _source_position) VALUES
            (1, 1, 20), (1, 2, 10), (4, 1, NULL);
        INSERT INTO "Page" (_id, _version, picture, book, book_position) VALUES
            (1, 1, x'01AABB', 1, 2), (2, 1, NULL, 1, 1), (3, 1, NULL, NULL, NULL);
        """

    private static let text = """
        {"format":1,
        "model":"Shop",
        "version":"2",
        "versionHash":"\(model.versionHash)",
        "entities":{
        "Item":[
        {"_id":1,"_entity":"Book","name":"One","note":{"text":"n","place":null},"tags":[2,1],\
        "twin":3,"twinOf":null,"code":{"b":1},"pages":[2,1]},
        {"_id":3,"_entity":"Disc","name":"Three","note":null,"tags":[],"twin":null,"twinOf":1,\
        "code":7},
        {"_id":4,"_entity":"Book","name":"Four","note":{"text":null,"place":{"x":0.5}},\
        "tags":[1],"twin":null,"twinOf":null,"code":"no JSON","pages":[]}
        ],
        "Page":[
        {"_id":1,"picture":"qrs=","book":1},
        {"_id":2,"picture":null,"book":1},
        {"_id":3,"picture":null,"book":null}
        ],
        "Tag":[
        {"_id":1,"label":"a \\"b\\"","items":[1,4]},
        {"_id":2,"label":"é","items":[1]}
        ]}}

        """

    /// Runs a body with the path of a store that has these rows.
    private func withStore(_ rows: String, _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("shop.sqlite").path
        let connection = try Connection(path: path)
        _ = try MigrationRunner(model: Self.model).createStore(connection)
        try connection.execute(rows)
        try body(path)
    }

    private func export(_ path: String, _ versions: [Model] = [model]) throws -> String {
        var bytes: [UInt8] = []
        try StoreExporter(fileAt: path, versions: versions).export { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a view in the place of a table is not read`() throws {
        // It takes seconds; without its condition it never ends.
        let endless = """
            WITH RECURSIVE e(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM e WHERE n < 8000000) \
            SELECT n AS _id, 1 AS _version, 'x' AS label FROM e
            """
        try withStore("DROP TABLE Tag; CREATE VIEW Tag AS \(endless)") { path in
            #expect(throws: MigrationError.self) {
                try StoreExporter(fileAt: path, versions: [Self.model])
            }
        }
    }

    @Test func `every object is a line with its values, its composites and its links`() throws {
        try withStore(Self.rows) { path in
            let text = try export(path)
            #expect(text == Self.text)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
        }
    }

    @Test func `an empty store has all entities`() throws {
        try withStore("") { path in
            let text = try export(path)
            #expect(text.hasSuffix("\"entities\":{\n\"Item\":[],\n\"Page\":[],\n\"Tag\":[]}}\n"))
        }
    }

    @Test func `a long list is delivered in parts, none of them long`() throws {
        let rows = """
            INSERT INTO "Tag" (_id, _version, label) VALUES (1, 1, 'all');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
            INSERT INTO "Item" (_id, _version, _entity, name) SELECT i, 1, 'Disc', 'x' FROM n;
            INSERT INTO "Item_tags" (_source, _destination) SELECT _id, 1 FROM "Item";
            """
        try withStore(rows) { path in
            var (count, greatest) = (0, 0)
            try StoreExporter(fileAt: path, versions: [Self.model]).export {
                (count, greatest) = (count + $0.count, max(greatest, $0.count))
            }
            #expect(count > 2_000_000)
            #expect(greatest < 100_000)
        }
    }

    @Test func `the version is found by its hash`() throws {
        let other = Model(name: "Shop", version: "3", entities: [Entity(name: "Tag")])
        let renamed = Model(
            name: "Shop", version: "2b", entities: Self.model.entities,
            composites: Self.model.composites)
        try withStore("") { path in
            #expect(try export(path, [Self.model, other]) == export(path))
            let exporter = try StoreExporter(fileAt: path, versions: [renamed, Self.model])
            #expect(exporter.model.version == "2")
            #expect(
                throws: ExportError.unknownVersion(
                    model: "Shop", store: "2", hash: Self.model.versionHash, known: ["3"])
            ) { try export(path, [other]) }
            let foreign = Model(name: "Library", version: "1", entities: [])
            #expect(throws: MigrationError.otherModel(store: "Shop", program: "Library")) {
                try export(path, [foreign])
            }
        }
    }

    @Test func `what is no store, or holds what is no value, is an error that says where`() throws {
        try withStore("") { path in
            let other = path + ".other"
            try Connection(path: other).execute("CREATE TABLE a (b)")
            #expect(throws: MigrationError.notAStore) { try export(other) }
            try Data(repeating: 65, count: 4096).write(to: URL(fileURLWithPath: other + ".text"))
            #expect(throws: SQLiteError.self) { try export(other + ".text") }
            #expect(throws: SQLiteError.self) { try export(other + ".none") }
            #expect(!FileManager.default.fileExists(atPath: other + ".none"))
        }
        try withStore("INSERT INTO \"Page\" (_id, _version, picture) VALUES (5, 1, x'0741')") {
            #expect(
                throws: ExportError.unreadable(entity: "Page", key: 5, attribute: "picture")
            ) { [path = $0] in try export(path) }
        }
        try withStore(
            "INSERT INTO \"Item\" (_id, _version, _entity, name) VALUES (1, 1, 'Toy', '')"
        ) { path in
            #expect(throws: ExportError.unknownEntity(root: "Item", key: 1, name: "Toy")) {
                try export(path)
            }
        }
    }

    @Test func `texts of a store are cut in errors`() throws {
        let text = String(repeating: "x", count: 1_000_000)
        let errors: [any Error] = [
            ExportError.unknownEntity(root: "Item", key: 1, name: text),
            ExportError.unknownVersion(model: "M", store: text, hash: text, known: ["1"]),
        ]
        for error in errors { #expect("\(error)".utf8.count < 2_000) }
        let named = #expect(throws: FileError.self) {
            try ExternalFiles(ofStore: "none").read(text)
        }
        #expect(try "\(#require(named))".utf8.count < 2_000)
        var refusal = MigrationRefusal(step: "", reason: "")
        refusal.value = text
        #expect(refusal.descriptionWithValue.utf8.count < 2_000)
    }

    @Test func `a large value is read from its file, which has to be there`() throws {
        let name = UUID().uuidString
        let form = "02" + name.utf8.map { String($0, radix: 16) }.joined()
        try withStore("INSERT INTO \"Page\" (_id, _version, picture) VALUES (5, 1, x'\(form)')") {
            path in
            let folder = ExternalForm.folder(ofStore: path)
            let file = "\(folder)/\(name)"
            #expect(
                throws: ExportError.missingFile(
                    entity: "Page", key: 5, attribute: "picture", path: file,
                    reason: "No such file or directory")
            ) { try export(path) }
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file))
            #expect(try export(path).contains("{\"_id\":5,\"picture\":\"AQID\",\"book\":null}"))
            // A link is no file of the store's, wherever it leads.
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createSymbolicLink(
                atPath: file, withDestinationPath: "/etc/passwd")
            #expect(
                throws: ExportError.missingFile(
                    entity: "Page", key: 5, attribute: "picture", path: file,
                    reason: "it is a link")
            ) { try export(path) }
        }
    }
}
