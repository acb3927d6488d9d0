import CambiumMigration
import CambiumModel
import CambiumPlan

extension SwiftEmitter {
    /// The model and everything that opening a store takes.
    ///
    /// - Parameter schema: The statements that create an empty store.
    func modelText(_ schema: [String]) -> String {
        var writer = startFile()
        writer.nextDoc("The model `\(model.name)`, version \(model.version).")
        writer.block("\(typeModifier)enum \(SwiftText.identifier(model.name))") { writer in
            // The type is explicit. To infer it, the compiler would look up `classes` or `schema`
            // in the program, and fail with a circular reference if these come from the model.
            let type = names.library("CompiledModel")
            if steppedMigrations.isEmpty {
                writer.doc("Everything that is needed to open a store of this model.")
                writer.code("\(modifier)static let model: \(type) = ", compiledModel)
            } else {
                emitSteppedModel(to: &writer)
                writer.nextDoc(
                    "The compiled model, without the program's migration steps.")
                writer.code("static let \(modelConstant): \(type) = ", compiledModel)
            }
            writer.nextDoc("The statements that create an empty store.")
            writer.code(
                "private static let schema: [\(names.standard("String"))] = ",
                .array(schema.map { .rawString($0) }))
            writer.nextDoc("The model, in the form in which stores keep it.")
            writer.body("private static var currentModel: \(names.library("Model"))") {
                $0.code("", compiled(model))
            }
            emitEarlierVersions(to: &writer)
            emitEarlierDrafts(to: &writer)
        }
        writer.nextDoc(
            "The classes of the entities; out here because members would hide some of them.")
        let classType = names.library("ManagedObject") + ".Type"
        writer.code(
            "\(isolation)private let \(classesConstant): [\(names.standard("String")): \(classType)] = ",
            classes)
        return writer.text
    }

    private var compiledModel: SwiftCode {
        var arguments: [(label: String?, value: SwiftCode)] = [
            ("format", .text("\(names.library("GeneratedFormat")).\(Self.format)")),
            ("model", .text("currentModel")),
            ("classes", .text(classesConstant)),
            ("schema", .text("schema")),
            ("migrations", .text("migrations")),
        ]
        if engines.contains(.postgres) {
            let word = SwiftCode.string(CheckedEngine.postgres.rawValue)
            arguments.append(
                ("otherMigrations", .dictionary([(word, .text("serverMigrations"))])))
        }
        if isFrozen { arguments.append(("isFrozen", .text("true"))) }
        if !earlierDrafts.isEmpty { arguments.append(("drafts", .text("drafts"))) }
        return .call(names.library("CompiledModel"), arguments)
    }

    /// The earlier versions that are not frozen, as the texts that stores keep of them.
    private func emitEarlierDrafts(to writer: inout SwiftWriter) {
        guard !earlierDrafts.isEmpty else { return }
        let type = names.standard("String")
        writer.nextDoc(
            "The versions before that are not frozen, for stores of other drafts of them.")
        writer.code(
            "private static let drafts: [\(type): \(type)] = ",
            .dictionary(
                earlierDrafts.map { (.string($0.version), .rawString($0.definition)) }))
    }

    private var classesConstant: String {
        names.unused("_\(SwiftText.plainIdentifier(model.name))Classes")
    }

    private var classes: SwiftCode {
        .dictionary(
            entities.ordered { $0.entity.name < $1.entity.name }.map {
                (.string($0.entity.name), .text("\($0.typeName).self"))
            })
    }

    /// A version of the model as a value.
    ///
    /// - Parameters:
    ///   - includesMigration: Whether to include the author's declarations, which proofs use.
    ///   - entity: Returns the code for the text of an entity.
    func compiled(
        _ model: Model, includesMigration: Bool = false,
        entity: (String) -> SwiftCode = SwiftCode.rawString
    ) -> SwiftCode {
        let texts = model.compiledTexts(includesMigration: includesMigration)
        let elements = texts.prefix(1).map(SwiftCode.rawString) + texts.dropFirst().map(entity)
        return .call(names.library("Model"), [("compiled", .array(elements))])
    }
}

extension SwiftEmitter {
    /// The versions before the current one as values, by which a program identifies stores that
    /// Core Data wrote. Equal parts are emitted once.
    func emitEarlierVersions(to writer: inout SwiftWriter) {
        guard !earlierVersions.isEmpty else { return }
        var numbers: [String: Int] = [:]
        var entities: [String] = []
        let versions = earlierVersions.map { version in
            compiled(version) { text in
                let number = numbers[text] ?? entities.count
                if numbers.updateValue(number, forKey: text) == nil { entities.append(text) }
                return .text("earlierEntities[\(number)]")
            }
        }
        writer.nextDoc("The versions before, the oldest first, for stores that Core Data wrote.")
        writer.body("\(modifier)static var earlierVersions: [\(names.library("Model"))]") {
            $0.code("", .array(versions))
        }
        writer.nextDoc("The entities of the versions before.")
        writer.code(
            "private static let earlierEntities: [\(names.standard("String"))] = ",
            .array(entities.map { .rawString($0) }))
    }
}

extension SwiftEmitter {
    /// The migrations from all earlier versions.
    ///
    /// - Parameter onServer: The migrations on PostgreSQL.
    func migrationsText(_ migrations: [Migration], onServer: [Migration]) -> String {
        var writer = startFile()
        writer.line()
        writer.block("\(isolation)extension \(SwiftText.identifier(model.name))") { writer in
            writer.doc("The steps from each version to the next, proven when they were compiled.")
            emit(migrations, as: "migration", to: &writer)
            if engines.contains(.postgres) {
                writer.nextDoc("The same for stores on PostgreSQL.")
                emit(onServer, as: "serverMigration", to: &writer)
            }
        }
        emitSteps(to: &writer)
        return writer.text
    }

    private func emit(_ migrations: [Migration], as name: String, to writer: inout SwiftWriter) {
        let type = names.library("Migration")
        // One constant for each migration keeps the type checker fast.
        let constants = migrations.indices.map { "\(name)\($0 + 1)" }
        writer.code("static let \(name)s: [\(type)] = ", .array(constants.map { .text($0) }))
        for (constant, migration) in zip(constants, migrations) {
            writer.nextDoc("From version \(migration.from) to version \(migration.to).")
            writer.code("private static let \(constant) = ", code(migration, type: type))
        }
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
            let objects = migration.objects.ordered { $0.key < $1.key }
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

    /// The parts of an operation that a program needs. It needs only some of the tables that are
    /// read: the tables with rows that are counted before the migration.
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
        case .dropForeignKey(let name, let table):
            call("dropForeignKey", (nil, .string(name)), ("of", .string(table)))
        case .addForeignKey(let name, let table):
            call("addForeignKey", (nil, .string(name)), ("of", .string(table)))
        case .alterTable(let table): call("alterTable", (nil, .string(table)))
        case .other: .text(".other")
        }
    }

    private func code(_ copy: RowCopy) -> SwiftCode {
        var arguments: [(String?, SwiftCode)] = [
            (nil, .string(copy.source)), ("to", .string(copy.destination)),
            (nil, .array(copy.columns.map { .string($0) })),
        ]
        if !copy.origins.isEmpty {
            let origins = copy.origins.ordered { $0.key < $1.key }
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
