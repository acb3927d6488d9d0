@_spi(Generated) import CambiumMigration

/// A model in whose migrations the program does steps of its own: the value `Shop.model` of
/// generated code where the model has such steps. Opening a store takes the steps too.
///
/// ```swift
/// let container = try PersistentContainer(
///     model: Shop.model, migration: ShopSteps(), at: .file("shop.sqlite"))
/// ```
///
/// `Steps` is the generated protocol, such as `any ShopMigration`. Whatever takes a
/// ``CompiledModel`` takes ``performing(_:)``.
public struct SteppedModel<Steps: Sendable>: Sendable {
    private let compiled: CompiledModel
    private let codeSteps: @Sendable (Steps) -> [CodeStep]
    let proofs: @Sendable () -> [StepProof]

    /// Puts together what the compiler made. Called by generated code.
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

    /// The model as it is without them, which cannot migrate.
    var withoutSteps: CompiledModel { compiled }

    /// The model with the steps, for whatever takes a model.
    ///
    /// - Parameter steps: What the program does in migrations.
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

    func verification(of steps: Steps) -> VerifyReport {
        StepVerifier(performing(steps).migrationRunner, proofs()).report
    }
}

/// Steps of the program in migrations are not what they should be.
public struct MigrationVerificationError: Error, Sendable, Hashable {
    /// What is wrong with one migration, or with a chain of them.
    public struct Failure: Sendable, Hashable {
        /// The version that it starts from.
        public let from: String
        /// The version that it leads to.
        public let to: String
        /// What is wrong.
        public let reason: String
    }

    /// What is wrong, at least one thing.
    public let failures: [Failure]
}

extension MigrationVerificationError: CustomStringConvertible {
    /// A line for each failure.
    public var description: String {
        failures.map { "From version \($0.from) to \($0.to): \($0.reason)" }
            .joined(separator: "\n")
    }
}
