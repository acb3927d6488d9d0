import CambiumEngineSpecification
import CambiumMigrationCommand
import CambiumModel
import CambiumPostgres
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A derived value of `now()` is that of the last save. Time that has passed makes no finding of it.
struct MomentCheckTests {
    @Test func `values of the moment are no findings in a file`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-moment-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try check(
            StoreDescription(location: .file(folder.appending(path: "store.sqlite").path())))
    }

    @Test(arguments: CheckedServer.some())
    func `values of the moment are no findings on a server`(_ server: CheckedServer) throws {
        let schema = "test \(UUID().uuidString)"
        let connection = try PostgresConnection(PostgresSettings(server.url))
        defer { _ = try? connection.run("DROP SCHEMA \"\(schema)\" CASCADE") }
        try check(StoreDescription(location: .postgres(server.url, schema: schema)))
    }
}

private func path(_ names: String...) -> ModelExpression {
    .keyPath(root: .subject, names: names)
}

private let now = ModelExpression.function(.now, [])

/// Tasks with a due date, and values that change when it has passed: of the row, of another such value,
/// and of the tasks of a person.
private let model = CompiledModel(
    Model(
        name: "Tasks", version: "1",
        entities: [
            Entity(
                name: "Person",
                attributes: [
                    Attribute(
                        name: "lateCount", type: .int64,
                        derivation: .aggregate(
                            .count,
                            .subquery(
                                path("tasks"), variable: "t",
                                condition: .comparison(
                                    .keyPath(root: .variable("t"), names: ["due"]), .less, now, []
                                ))))
                ],
                relationships: [
                    Relationship(
                        name: "tasks", destination: "Task", inverse: "person", isToMany: true)
                ]),
            Entity(
                name: "Task",
                attributes: [
                    Attribute(name: "due", type: .date),
                    Attribute(name: "seen", type: .date, derivation: now),
                    Attribute(
                        name: "isLate", type: .bool,
                        derivation: .comparison(path("due"), .less, now, [])),
                    Attribute(
                        name: "penalty", type: .int64,
                        derivation: .conditional(
                            .comparison(path("isLate"), .equal, .literal(.bool(true)), []),
                            then: .literal(.int(5)), otherwise: .literal(.int(0)))),
                ],
                relationships: [
                    Relationship(
                        name: "person", destination: "Person", inverse: "tasks", isOptional: true)
                ]),
        ]))

private func check(_ store: StoreDescription) throws {
    let context = try PersistentContainer(model, store).newContext()
    let person = try context.insertObject(ofEntity: "Person")
    let task = try context.insertObject(ofEntity: "Task")
    let due = Date.now + 0.5
    try task.setValue(.date(due), forKey: "due")
    try task.setRelatedObject(person, forKey: "person")
    try context.save()
    #expect(try task.value(forKey: "isLate") == .bool(false))
    #expect(Date.now < due)
    while Date.now < due { Thread.sleep(until: due + 0.01) }
    let report = try StoreCheck(model: model, store: store).run(repairing: true)
    #expect(report.words == [] && report.repairs.isEmpty)
    #expect(report.isClean)
}
