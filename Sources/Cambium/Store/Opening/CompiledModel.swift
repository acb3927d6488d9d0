@_spi(Generated) import CambiumMigration
import CambiumRecords
import CambiumSQL
import Synchronization

/// A compiled model: the value `Shop.model` of generated code. ``PersistentContainer`` opens stores
/// with it.
public struct CompiledModel: Sendable {
    /// The current version of the model.
    public let model: Model
    /// The statements that make an empty store, exactly as `cambium sql` prints them.
    public let schema: [String]
    /// The steps that migrate stores of earlier versions to the current one.
    public let migrations: [Migration]
    /// The migrations for stores of other engines, by the engines' names in the model.
    package let otherMigrations: [String: [Migration]]

    /// Creates the model in numbers.
    private let describe: @Sendable () -> ModelDescription
    /// Whether the current version has shipped.
    let isFrozen: Bool
    /// The definitions of the earlier versions that have not shipped, by version.
    let drafts: [String: String]
    /// The steps of migrations that the program supplies.
    package private(set) var codeSteps: [CodeStep] = []
    private let preparation = Preparation()

    /// The model in numbers, for objects and stores. It is created once, when it is first needed.
    package var modelDescription: ModelDescription {
        preparation.model.withLock { made in
            if let made { return made }
            let description = describe()
            made = description
            PreparedModels.note(description)
            return description
        }
    }

    /// The versions that have not shipped. Created when the first store is opened.
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

    init(
        model: Model, schema: [String], migrations: [Migration],
        otherMigrations: [String: [Migration]], isFrozen: Bool,
        drafts: [String: String], describe: @escaping @Sendable () -> ModelDescription
    ) {
        self.isFrozen = isFrozen
        self.drafts = drafts
        self.model = model
        self.schema = schema
        self.migrations = migrations
        self.otherMigrations = otherMigrations
        self.describe = describe
    }

    /// Returns the compiled model with migration steps of the program. It shares all prepared data.
    func performing(_ steps: [CodeStep]) -> CompiledModel {
        var copy = self
        copy.codeSteps = steps
        return copy
    }

    /// Migrates stores to the model.
    package var migrationRunner: MigrationRunner {
        let runner = MigrationRunner(
            model: model, schema: modelDescription.tables, statements: schema,
            migrations: migrations)
        runner.code = codeSteps
        runner.drafts = draftVersions
        return runner
    }
}

extension CompiledModel: CustomStringConvertible {
    /// The name and the version: `Library, version 1`.
    public var description: String { "\(model)" }
}

/// The entity of a class and its model. Generated classes provide it.
@_spi(Generated)
public struct EntityReference {
    let name: String
    let model: CompiledModel?

    /// Names an entity. Called by generated code.
    public init(_ name: String, _ model: CompiledModel) {
        self.name = name
        self.model = model
    }

    /// The reference of a class that was written without a model.
    init() {
        name = ""
        model = nil
    }
}

/// The models that the program uses, so that an identity that comes as text finds its entity.
enum PreparedModels {
    private final class Entry: Sendable {
        weak let model: ModelDescription?

        init(_ model: ModelDescription) {
            self.model = model
        }
    }

    private struct Entries {
        var byName = [String: Entry]()
        var byStore = [StoreIdentifier: Entry]()
    }

    private static let entries = Mutex(Entries())

    static func note(_ model: ModelDescription) {
        entries.withLock { $0.byName[model.model.name] = Entry(model) }
    }

    /// Notes the model that a store was opened with.
    static func note(_ model: ModelDescription, of store: StoreIdentifier) {
        entries.withLock { $0.byStore[store] = Entry(model) }
    }

    /// The entity of a store's objects: that of the model that the store was opened with, or else
    /// the only one of that name.
    static func entity(named name: String, of store: StoreIdentifier) -> EntityDescription? {
        entries.withLock { entries in
            if let model = entries.byStore[store]?.model { return model[name] }
            let found = entries.byName.values.compactMap { $0.model?[name] }
            return found.count == 1 ? found[0] : nil
        }
    }
}

/// A model with migration steps of the program: the value `Shop.model` of generated code if the
/// model has such steps. Opening a store takes the steps too.
///
/// ```swift
/// let container = try PersistentContainer(
///     model: Shop.model, migration: ShopSteps(), at: .file("shop.sqlite"))
/// ```
///
/// `Steps` is the generated protocol, such as `any ShopMigration`. If an API takes a
/// ``CompiledModel``, pass the result of ``performing(_:)``.
public struct SteppedModel<Steps: Sendable>: Sendable {
    private let compiled: CompiledModel
    private let codeSteps: @Sendable (Steps) -> [CodeStep]
    let proofs: @Sendable () -> [StepProof]

    /// Creates the model from its compiled parts. Called by generated code.
    @_spi(Generated)
    public init(
        _ compiled: CompiledModel, steps: @escaping @Sendable (Steps) -> [CodeStep],
        proofs: @escaping @Sendable () -> [StepProof]
    ) {
        self.compiled = compiled
        codeSteps = steps
        self.proofs = proofs
    }

    /// The current version of the model.
    public var model: Model { compiled.model }

    /// The model without the steps. It cannot migrate.
    package var withoutSteps: CompiledModel { compiled }

    /// Returns the model with the steps, for any API that takes a model.
    ///
    /// - Parameter steps: The program's migration steps.
    public func performing(_ steps: Steps) -> CompiledModel {
        compiled.performing(codeSteps(steps))
    }

    /// Proves the steps, see `verifyMigrations(_:)` of generated code.
    ///
    /// - Throws: ``MigrationVerificationError``.
    public func verify(_ steps: Steps) throws {
        let report = verification(of: steps)
        let failures = report.steps.compactMap { step in
            step.failure.map {
                MigrationVerificationError.Failure(from: step.from, to: step.to, reason: $0)
            }
        }
        guard failures.isEmpty else { throw MigrationVerificationError(failures: failures) }
    }

    /// Returns the result of proving the steps.
    package func verification(of steps: Steps) -> VerifyReport {
        StepVerifier(performing(steps).migrationRunner, proofs()).report
    }
}

/// The error of a program's migration steps that do not do what the proof expects.
public struct MigrationVerificationError: Error, Sendable, Hashable {
    /// The failure of one migration, or of a chain of them.
    public struct Failure: Sendable, Hashable {
        /// The version that it starts from.
        public let from: String
        /// The version that it migrates to.
        public let to: String
        /// The problem.
        public let reason: String
    }

    /// The failures; at least one.
    public let failures: [Failure]
}

extension MigrationVerificationError: CustomStringConvertible {
    /// A line for each failure.
    public var description: String {
        failures.map { "From version \($0.from) to \($0.to): \($0.reason)" }
            .joined(separator: "\n")
    }
}
