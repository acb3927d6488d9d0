import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

@Suite struct SchemaTests {
    /// The table of storage forms is a file format. A change of this file is a change of every
    /// user's stores.
    @Test func `the storage forms are frozen`() throws {
        try compare(StorageFormModel.model, with: "storage-forms")
    }

    /// The same for the forms of composite, codable, derived, external and transient properties.
    @Test func `the widened storage forms are frozen`() throws {
        try compare(WidenedFormModel.model, with: "widened-forms")
    }

    private func compare(_ model: Model, with folder: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Cases/\(folder)/schema.sql")
        let text = Schema(of: model).statements.map { $0 + ";\n" }.joined()
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        let difference = text.split(separator: "\n")
            .difference(from: expected.split(separator: "\n"))
        #expect(
            text == expected,
            "\(difference); accept: CAMBIUM_ACCEPT=1 swift test --filter SchemaTests")
        let connection = try Connection(path: ":memory:")
        for statement in Schema(of: model).statements { try connection.execute(statement) }
    }

    @Test func `the schema hash follows a limit and the version hash does not`() {
        func model(_ limits: Limits) -> Model {
            Model(
                name: "M", version: "1",
                entities: [
                    Entity(
                        name: "E",
                        attributes: [Attribute(name: "a", type: .int64, limits: limits)])
                ])
        }
        let (old, new) = (model(Limits()), model(Limits(minimum: .int(1))))
        #expect(old.versionHash == new.versionHash)
        #expect(Schema(of: old).hash != Schema(of: new).hash)
    }

    @Test func `a name is quoted and cannot end its quotes`() {
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(name: "select", attributes: [Attribute(name: "a\"b", type: .int64)])
            ])
        let table = Schema(of: model).table(named: "select")
        #expect(
            table?.createStatement().contains("\"a\"\"b\" INTEGER NOT NULL") == true)
    }
}
