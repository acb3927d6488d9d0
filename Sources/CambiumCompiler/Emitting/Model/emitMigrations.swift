import CambiumMigration
import CambiumPlan

extension SwiftEmitter {
    /// The migrations from all earlier versions.
    func migrationsText(_ migrations: [Migration]) -> String {
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
                writer.nextDoc("From version \(migration.from) to version \(migration.to).")
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
        let usual = MigrationStep(summary: "", kind: step.kind, statements: [])
        if step.losesData != usual.losesData {
            arguments.append(("losesData", .text("\(step.losesData)")))
        }
        if !step.tables.isEmpty {
            arguments.append(("tables", .array(step.tables.map { .string($0) })))
        }
        if let code = step.code { arguments.append(("code", .string(code))) }
        arguments.append(("statements", .array(step.statements.map(code))))
        return .call(".init", arguments)
    }

    private func code(_ statement: MigrationStatement) -> SwiftCode {
        .call(
            ".init",
            [(nil, code(statement.operation))] + statement.parts.map { (nil, .rawString($0)) })
    }

    /// What a program has to know of an operation: of the tables that are read, those alone whose rows
    /// are counted before the migration.
    private func code(_ operation: SchemaOperation) -> SwiftCode {
        func call(_ name: String, _ arguments: (String?, SwiftCode)?...) -> SwiftCode {
            .call(".\(name)", arguments.compactMap(\.self))
        }
        func list(_ label: String?, _ names: [String]) -> (String?, SwiftCode)? {
            names.isEmpty ? nil : (label, .array(names.map { .string($0) }))
        }
        return switch operation {
        case .createTable(let table): call("createTable", (nil, .string(table)))
        case .addColumn(let column, let table):
            call("addColumn", (nil, .string(column)), ("to", .string(table)))
        case .copyRows(let copy): call("copyRows", (nil, code(copy)))
        case .insertRows(let table, let sources):
            call("insertRows", (nil, .string(table)), list("from", sources))
        case .chooseObjects(let table, let sources):
            call("chooseObjects", (nil, .string(table)), list("from", sources))
        case .settleRows(let root, let table):
            call("settleRows", ("root", .string(root)), ("into", .string(table)))
        case .updateRows(let table, _): call("updateRows", (nil, .string(table)))
        case .deleteRows(let table, _): call("deleteRows", (nil, .string(table)))
        case .checkRows(let table, let others, let type):
            call(
                "checkRows", (nil, .string(table)), list("with", others),
                type.map { ("type", .string($0)) })
        case .createIndex(let name, let table, let unique):
            call(
                "createIndex", (nil, .string(name)), ("on", .string(table)),
                unique.map {
                    ("unique", call("init", list(nil, $0.columns), list("of", $0.entities)))
                })
        case .renameTable(let table, let name):
            call("renameTable", (nil, .string(table)), ("to", .string(name)))
        case .dropTable(let table): call("dropTable", (nil, .string(table)))
        case .other: .text(".other")
        }
    }

    private func code(_ copy: RowCopy) -> SwiftCode {
        var arguments: [(String?, SwiftCode)] = [
            (nil, .string(copy.source)), ("to", .string(copy.destination)),
            (nil, .array(copy.columns.map { .string($0) })),
        ]
        if !copy.origins.isEmpty {
            let origins = copy.origins.sorted { $0.key < $1.key }
            arguments.append(
                (
                    "origins",
                    .dictionary(
                        origins.map { (.string($0), .array($1.map { .string($0) })) })
                ))
        }
        for (label, names) in [("computed", copy.computed), ("after", copy.precedingRoots)]
        where !names.isEmpty {
            arguments.append((label, .array(names.map { .string($0) })))
        }
        return .call(".init", arguments)
    }
}
