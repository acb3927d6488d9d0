import CambiumModel

extension SwiftEmitter {
    /// The model and everything that opening a store takes.
    func modelText() -> String {
        var writer = startFile()
        let literals = ModelLiteralEmitter(names: names)
        writer.line()
        writer.doc("The model `\(model.name)`, version \(model.version).")
        writer.block("\(typeModifier)enum \(SwiftText.identifier(model.name))") { writer in
            // With its type: to find it out, the compiler would look at what the program calls
            // `classes` or `schema`, and go round in a circle where that comes from the model.
            let type = names.library("CompiledModel")
            if steppedMigrations.isEmpty {
                writer.doc("Everything that opening a store of this model needs.")
                writer.code("\(modifier)static let model: \(type) = ", compiledModel)
            } else {
                emitSteppedModel(to: &writer)
                writer.line()
                writer.doc("What was compiled; the program's steps of migrations are not in it.")
                writer.code("static let \(modelConstant): \(type) = ", compiledModel)
            }
            writer.line()
            writer.doc("The statements that make an empty store.")
            writer.code(
                "private static let schema: [\(names.standard("String"))] = ",
                .array(schema.map { .rawString($0) }))
            writer.line()
            writer.doc("The model as values.")
            writer.body("private static var currentModel: \(names.library("Model"))") {
                $0.code("", modelLiteral(model, literals) { .text(constant($0)) })
            }
            // One declaration for each entity (computed, since each is read once), and types
            // wherever a literal has many elements, keep the type checker fast.
            for entity in model.entities {
                writer.line()
                writer.doc("The entity `\(entity.name)`.")
                writer.body("private static var \(constant(entity)): \(names.library("Entity"))") {
                    $0.code("", literals.entity(entity))
                }
            }
            emitEarlierVersions(literals, to: &writer)
            emitEarlierDrafts(to: &writer)
        }
        writer.line()
        writer.doc("The classes of the entities; out here because members would hide some of them.")
        let classType = names.library("ManagedObject") + ".Type"
        writer.code(
            "\(isolation)private let \(classesConstant): [\(names.standard("String")): \(classType)] = ",
            classes)
        return writer.text
    }

    private var compiledModel: SwiftCode {
        var arguments: [(label: String?, value: SwiftCode)] = [
            ("model", .text("currentModel")),
            ("classes", .text(classesConstant)),
            ("schema", .text("schema")),
            ("migrations", .text("migrations")),
        ]
        if isFrozen { arguments.append(("isFrozen", .text("true"))) }
        if !earlierDrafts.isEmpty { arguments.append(("drafts", .text("drafts"))) }
        return .call(names.library("CompiledModel"), arguments)
    }

    /// The earlier versions that are not frozen, as the texts that stores keep of them.
    private func emitEarlierDrafts(to writer: inout SwiftWriter) {
        guard !earlierDrafts.isEmpty else { return }
        let type = names.standard("String")
        writer.line()
        writer.doc("The versions before that are not frozen, for stores of other drafts of them.")
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
            entities.sorted { $0.entity.name < $1.entity.name }.map {
                (.string($0.entity.name), .text("\($0.typeName).self"))
            })
    }

    /// A version of the model as a value.
    ///
    /// - Parameters:
    ///   - isProof: Whether proofs look at it, which need its migration.
    ///   - entity: The constant of an entity.
    func modelLiteral(
        _ model: Model, _ literals: ModelLiteralEmitter, isProof: Bool = false,
        entity: (Entity) -> SwiftCode
    ) -> SwiftCode {
        var arguments: [(label: String?, value: SwiftCode)] = [
            ("name", .string(model.name)),
            ("version", .string(model.version)),
            ("entities", .array(model.entities.map(entity))),
        ]
        if !model.enumerations.isEmpty {
            arguments.append(
                ("enumerations", .array(model.enumerations.map(literals.enumeration))))
        }
        if !model.composites.isEmpty {
            arguments.append(("composites", .array(model.composites.map(literals.composite))))
        }
        if !model.configurations.isEmpty {
            arguments.append(
                ("configurations", .array(model.configurations.map(literals.configuration))))
        }
        if let identifier = model.identifier {
            arguments.append(("identifier", .string(identifier)))
        }
        if !model.userInfo.isEmpty {
            arguments.append(("userInfo", ModelLiteralEmitter.userInfo(model.userInfo)))
        }
        // The migrations are all that a runtime needs.
        if isProof, let migration = model.migration {
            arguments.append(("migration", literals.migration(migration)))
        }
        return .call(names.library("Model"), arguments)
    }

    /// The name of the constant that holds an entity: two entities never share one, and none is
    /// that of another declaration.
    func constant(_ entity: Entity) -> String {
        "entity" + SwiftText.plainIdentifier(entity.name)
    }
}
