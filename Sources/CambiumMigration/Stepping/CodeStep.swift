/// A step of a migration that the program does itself. Made by generated code of what the program
/// supplies.
@_spi(Generated)
public struct CodeStep: Sendable {
    /// The version that the migration starts from.
    let from: String
    /// The step's name.
    let name: String
    let body: @Sendable (StepRun) throws -> Void

    /// A step.
    ///
    /// - Parameter body: Does it, in the migration's transaction.
    public init<Old: MigrationVersion, New: MigrationVersion>(
        _ name: String, from: Old.Type, to: New.Type,
        _ body: @escaping @Sendable (MigrationContext<Old, New>) throws -> Void
    ) {
        self.from = from.versionName
        self.name = name
        self.body = { run in try body(MigrationContext(run)) }
    }

    /// One that knows the store and no types: what stands in for the program in a proof.
    init(_ name: String, from: String, _ body: @escaping @Sendable (StepRun) throws -> Void) {
        self.from = from
        self.name = name
        self.body = body
    }
}
