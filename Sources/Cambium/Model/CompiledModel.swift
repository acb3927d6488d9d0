@_spi(Generated) import CambiumMigration
import CambiumRecords
import CambiumSQL
import Synchronization

/// What the compiler made of a model: the value `Shop.model` of generated code, which
/// ``PersistentContainer`` opens stores with.
public struct CompiledModel: Sendable {
    /// The current version of the model.
    public let model: Model
    /// The statements that make an empty store, exactly as `cambium sql` prints them.
    public let schema: [String]
    /// The steps that bring stores of earlier versions to the current one.
    public let migrations: [Migration]

    let classes: [String: ManagedObject.Type]
    /// Whether the current version has shipped.
    let isFrozen: Bool
    /// The definitions of the earlier versions that have not shipped, by version.
    let drafts: [String: String]
    /// The steps of migrations that the program supplies.
    private(set) var codeSteps: [CodeStep] = []
    private let preparation = Preparation()

    /// The model in numbers, which objects and stores use: made once, by the first who needs it.
    var modelDescription: ModelDescription {
        preparation.model.withLock { made in
            if let made { return made }
            let description = ModelDescription(
                model, types: classes, common: ManagedObject.self,
                generated: Set(classes.filter { $1.entityReference.model != nil }.keys))
            made = description
            PreparedModels.note(description)
            return description
        }
    }

    /// Which versions have not shipped, put together for the first store that is opened.
    private var draftVersions: DraftVersions {
        preparation.drafts.withLock { made in
            if let made { return made }
            let versions = DraftVersions(of: model, isFrozen: isFrozen, earlier: drafts)
            made = versions
            return versions
        }
    }

    private final class Preparation: Sendable {
        let model = Mutex<ModelDescription?>(nil)
        let drafts = Mutex<DraftVersions?>(nil)
    }

    /// Puts together what the compiler made. Called by generated code.
    ///
    /// - Parameters:
    ///   - isFrozen: Whether the current version has shipped.
    ///   - drafts: The definition of each earlier version that has not shipped.
    @_spi(Generated)
    public init(
        model: Model, classes: [String: ManagedObject.Type], schema: [String],
        migrations: [Migration], isFrozen: Bool = false, drafts: [String: String] = [:]
    ) {
        self.isFrozen = isFrozen
        self.drafts = drafts
        self.model = model
        self.classes = classes
        self.schema = schema
        self.migrations = migrations
    }

    /// The same with the steps that the program supplies: it shares all that was prepared.
    func performing(_ steps: [CodeStep]) -> CompiledModel {
        var copy = self
        copy.codeSteps = steps
        return copy
    }

    /// What migrates stores to the model.
    var migrationRunner: MigrationRunner {
        var runner = MigrationRunner(
            model: model, schema: modelDescription.tables, statements: schema,
            migrations: migrations)
        runner.code = codeSteps
        runner.drafts = draftVersions
        return runner
    }

    /// A model that was built in code, for tools: its objects are plain ``ManagedObject``s, whose
    /// values are read and set by name. No version of it is frozen. Lays out the schema, which the
    /// compiler does for others.
    ///
    /// - Parameter migrations: What leads from earlier versions to this one.
    public init(_ model: Model, migrations: [Migration] = []) {
        self.init(
            model: model, classes: [:], schema: Schema(of: model).statements,
            migrations: migrations)
    }
}

extension CompiledModel: CustomStringConvertible {
    /// The name and the version: `Library, version 1`.
    public var description: String { "\(model)" }
}
