import CambiumModel

extension SwiftEmitter {
    /// The model and everything that opening a store takes.
    ///
    /// - Parameter schema: The statements that make an empty store.
    func modelText(_ schema: [String]) -> String {
        var writer = startFile()
        writer.nextDoc("The model `\(model.name)`, version \(model.version).")
        writer.block("\(typeModifier)enum \(SwiftText.identifier(model.name))") { writer in
            // With its type: to find it out, the compiler would look at what the program calls
            // `classes` or `schema`, and go round in a circle where that comes from the model.
            let type = names.library("CompiledModel")
            if steppedMigrations.isEmpty {
                writer.doc("Everything that opening a store of this model needs.")
                writer.code("\(modifier)static let model: \(type) = ", compiledModel)
            } else {
                emitSteppedModel(to: &writer)
                writer.nextDoc(
                    "What was compiled; the program's steps of migrations are not in it.")
                writer.code("static let \(modelConstant): \(type) = ", compiledModel)
            }
            writer.nextDoc("The statements that make an empty store.")
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
            entities.sorted { $0.entity.name < $1.entity.name }.map {
                (.string($0.entity.name), .text("\($0.typeName).self"))
            })
    }

    /// A version of the model as a value.
    ///
    /// - Parameters:
    ///   - includesMigration: Whether what its author declared is in it, which proofs look at.
    ///   - entity: What stands for the text of an entity.
    func compiled(
        _ model: Model, includesMigration: Bool = false,
        entity: (String) -> SwiftCode = SwiftCode.rawString
    ) -> SwiftCode {
        let texts = model.compiledTexts(includesMigration: includesMigration)
        let elements = texts.prefix(1).map(SwiftCode.rawString) + texts.dropFirst().map(entity)
        return .call(names.library("Model"), [("compiled", .array(elements))])
    }
}
