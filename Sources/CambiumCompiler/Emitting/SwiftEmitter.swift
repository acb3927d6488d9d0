import CambiumMigration
import CambiumModel

/// A file of generated Swift.
package struct SwiftFile: Sendable, Hashable {
    /// The name, without a folder.
    package let name: String
    /// The text.
    package let contents: String
}

/// Writes the Swift of a model: the only place that does.
///
/// The same input gives the same text, byte for byte. The model is taken as it is: whatever is
/// wrong with one was refused before.
package struct SwiftEmitter: Sendable {
    /// The version of Cambium: of the package, of its tool and of the code that it writes. It is the
    /// name of a tag, and of a section of CHANGELOG.md.
    package static let cambiumVersion = "0.1.0"

    let model: Model
    /// The statements that make an empty store; no class looks at them.
    var schema: [String]
    /// The steps from each version to the next; only the text of the migrations looks at them.
    var migrations: [Migration]
    /// The migrations in which the program does steps of its own.
    var steppedMigrations: [SteppedMigration] = []
    /// The versions before this one, where the generated code is to know them.
    var earlierVersions: [Model] = []
    /// Whether this version has shipped.
    var isFrozen = false
    /// The earlier versions that have not.
    var earlierDrafts: [Model] = []
    let bundle: String
    let access: AccessLevel
    let lines: SourceLines
    let names: GeneratedNames
    let entities: [GeneratedEntity]
    /// Whether a member has the name of the model, which hides it inside its class.
    let isModelTypeHidden: Bool
    /// The type of the model, by a name that means it inside the classes too.
    let modelType: String
    private let indexByName: [String: Int]

    /// Prepares the output.
    ///
    /// - Parameters:
    ///   - model: The current version.
    ///   - schema: The statements that make an empty store of it.
    ///   - migrations: The steps from each version to the next, oldest first.
    ///   - bundle: The name of the bundle, such as `Shop.cambium`.
    ///   - access: Who may use the generated code.
    ///   - lines: Where the model declares things, for comments and the compiler's errors.
    package init(
        model: Model, schema: [String], migrations: [Migration], bundle: String,
        access: AccessLevel, lines: SourceLines = SourceLines()
    ) {
        self.model = model
        self.schema = schema
        self.migrations = migrations
        self.bundle = bundle
        self.access = access
        self.lines = lines
        let names = GeneratedNames(model)
        self.names = names
        let entities = model.entities.concurrentMap {
            GeneratedEntity($0, in: model, names: names)
        }.compactMap(\.self)
        self.entities = entities
        isModelTypeHidden = names.isMember(SwiftText.plainIdentifier(model.name))
        modelType =
            isModelTypeHidden
            ? names.unused("_\(SwiftText.plainIdentifier(model.name))Model")
            : SwiftText.identifier(model.name)
        indexByName = Dictionary(
            entities.enumerated().map { ($1.entity.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Prepares the output of a version, whose schema and migrations may follow.
    ///
    /// - Parameters:
    ///   - bundle: The name of the bundle, without a suffix.
    ///   - folder: What paths in the compiler's messages are relative to; nil for the package that
    ///     the model is in.
    init(of version: CheckedModel, bundle: String, relativeTo folder: String? = nil) {
        self.init(
            model: version.model, schema: [], migrations: [], bundle: "\(bundle).cambium",
            access: version.access, lines: SourceLines(of: version, relativeTo: folder))
    }

    /// The names of the files that a bundle's model becomes: always the same, whatever is in it.
    package static func fileNames(ofBundle bundle: String) -> [String] {
        let stem = bundle.lastIndex(of: ".").map { bundle[..<$0] } ?? bundle[...]
        return ["Model", "Entities", "Validation", "Migrations"].map { "\(stem)\($0).swift" }
    }

    /// The files, in the order of their names above.
    package func files() -> [SwiftFile] {
        let (texts, classes) = concurrentMap(
            textsBesideClasses, { $0() }, entities, { text(of: $0) })
        return files(classes: classes, besideClasses: texts)
    }

    /// What makes the texts that are known with the schema: the model, the validation.
    var textsBesideClasses: [@Sendable () -> String] { [{ modelText() }, { validationText() }] }

    /// Puts together what was emitted in parts.
    ///
    /// - Parameters:
    ///   - classes: The texts of all entities.
    ///   - texts: What `textsBesideClasses` made.
    func files(classes: [SwiftWriter], besideClasses texts: [String]) -> [SwiftFile] {
        let texts = texts.prefix(1) + [entitiesText(classes)] + texts.dropFirst()
        return zip(Self.fileNames(ofBundle: bundle), texts + [migrationsText()]).map { name, text in
            SwiftFile(name: name, contents: text)
        }
    }

    /// The class of an entity, where one is generated.
    func generated(_ entity: Entity) -> GeneratedEntity? {
        indexByName[entity.name].map { entities[$0] }
    }

    /// The modifier of a declaration that users see, with a space behind it.
    var modifier: String { access == .public ? "public " : "" }

    /// The same for a type: objects belong to their context's isolation, whatever the module that
    /// they are compiled in has as its default.
    var typeModifier: String { isolation + modifier }

    /// Stands before everything outside a type: the module's default isolation may be an actor.
    var isolation: String { "nonisolated " }

    /// The name of the constant that has all that is compiled: what opens stores, unless that needs
    /// the program's steps as well.
    var modelConstant: String { steppedMigrations.isEmpty ? "model" : "compiledModel" }

    /// A writer with the lines that each file starts with.
    func startFile() -> SwiftWriter {
        var writer = SwiftWriter()
        let source = SwiftText.comment(
            "\(lines.bundle.isEmpty ? bundle : lines.bundle), version \(model.version)")
        writer.line(
            "// Generated by cambium \(Self.cambiumVersion) from \(source). Do not edit: change the "
                + "model instead.")
        writer.line("@_spi(Generated) import Cambium")
        return writer
    }
}
