import CambiumMigration

extension SwiftEmitter {
    /// The migrations from all earlier versions.
    func migrationsText() -> String {
        var writer = startFile()
        writer.line()
        writer.block("\(isolation)extension \(SwiftText.identifier(model.name))") { writer in
            writer.doc("The steps from each version to the next, proven when they were compiled.")
            let type = names.library("Migration")
            // One constant for each migration keeps the type checker fast.
            let constants = migrations.indices.map { "migration\($0 + 1)" }
            writer.code(
                "static let migrations: [\(type)] = ", .array(constants.map { .text($0) }))
            for (constant, migration) in zip(constants, migrations) {
                writer.line()
                writer.doc("From version \(migration.from) to version \(migration.to).")
                writer.code("private static let \(constant) = ", code(migration, type: type))
            }
        }
        emitSteps(to: &writer)
        return writer.text
    }

    private func code(_ migration: Migration, type: String) -> SwiftCode {
        var arguments: [(String?, SwiftCode)] = [
            ("from", .string(migration.from)), ("to", .string(migration.to)),
            ("fromHash", .string(migration.fromHash)), ("toHash", .string(migration.toHash)),
            ("steps", .array(migration.steps.map(code))),
        ]
        if !migration.schemaHash.isEmpty {
            arguments.append(("schemaHash", .string(migration.schemaHash)))
        }
        if !migration.objects.isEmpty {
            let objects = migration.objects.sorted { $0.key < $1.key }
            arguments.append(
                (
                    "objects",
                    .dictionary(objects.map { (.string($0.key), .string($0.value)) })
                ))
        }
        if let history = migration.history { arguments.append(("history", code(history))) }
        return .call(type, arguments)
    }

    private func code(_ history: MigrationHistory) -> SwiftCode {
        if let obstacle = history.obstacle {
            return .call(".init", [("obstacle", .string(obstacle))])
        }
        return .call(
            ".init",
            [
                ("before", .array(history.before.map { .rawString($0) })),
                ("after", .array(history.after.map { .rawString($0) })),
            ])
    }

    private func code(_ step: MigrationStep) -> SwiftCode {
        var arguments: [(String?, SwiftCode)] = [
            ("summary", .string(step.summary)), ("kind", .text(".\(step.kind)")),
        ]
        let usual = MigrationStep(summary: "", kind: step.kind, sql: [])
        if step.losesData != usual.losesData {
            arguments.append(("losesData", .text("\(step.losesData)")))
        }
        if !step.tables.isEmpty {
            arguments.append(("tables", .array(step.tables.map { .string($0) })))
        }
        if let code = step.code { arguments.append(("code", .string(code))) }
        arguments.append(("sql", .array(step.sql.map { .rawString($0) })))
        return .call(".init", arguments)
    }
}
