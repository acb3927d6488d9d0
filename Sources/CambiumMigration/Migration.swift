import CambiumModel
import CambiumPlan
import CambiumSQL

/// What makes a store of one version of a model a store of the next: planned and proven when the
/// model was compiled, and run as it is.
public struct Migration: Sendable, Hashable {
    /// The version that it starts from.
    public let from: String
    /// The version that it migrates to.
    public let to: String
    /// The version hash of the version that it starts from.
    public let fromHash: String
    /// The version hash of the version that it migrates to.
    public let toHash: String
    /// The hash of the text of all tables and indexes of the version that it starts from; empty
    /// where it was not noted. A store with another one was made by another form of the version,
    /// and ``objects`` say nothing about it.
    public let schemaHash: String
    /// What is done, in order.
    public let steps: [MigrationStep]
    /// The tables, indexes and triggers that a store of the version it starts from has, each with
    /// the first digits of a hash of what it says; those alone that differ from the version before
    /// that one. A deleted one has an empty text.
    public let objects: [String: String]

    /// How the history of a store is taken along; nil where nothing in it has another name or meaning
    /// afterwards.
    public let history: MigrationHistory?

    /// Describes a migration.
    public init(
        from: String, to: String, fromHash: String, toHash: String, steps: [MigrationStep],
        schemaHash: String = "", objects: [String: String] = [:],
        history: MigrationHistory? = nil
    ) {
        self.history = history
        self.schemaHash = schemaHash
        self.objects = objects
        self.from = from
        self.to = to
        self.fromHash = fromHash
        self.toHash = toHash
        self.steps = steps
    }

    /// Plans the migration between two versions.
    ///
    /// - Parameter schemas: The tables of both, where they are laid out already.
    /// - Throws: All reasons why there is none.
    package init(
        from old: Model, to new: Model, schemas: (old: Schema, new: Schema)? = nil
    ) throws(MigrationProblems) {
        try self.init(
            ModelDifference(from: old, to: new),
            schemas: schemas ?? (Schema(of: old), Schema(of: new)))
    }

    /// Plans what a difference between two versions asks for.
    ///
    /// - Parameter schemas: The tables of both.
    /// - Throws: All reasons why there is none.
    package init(
        _ difference: ModelDifference, schemas: (old: Schema, new: Schema)
    ) throws(MigrationProblems) {
        let plan = try MigrationPlan(difference, schemas: schemas)
        self.init(
            from: difference.match.old.version, to: difference.match.new.version,
            fromHash: schemas.old.metadata.versionHash, toHash: schemas.new.metadata.versionHash,
            steps: plan.steps, history: plan.history)
    }

    /// The same with what a store of the version that it starts from has, so that what another
    /// program has changed can be found.
    ///
    /// - Parameters:
    ///   - schema: The tables of that version.
    ///   - former: Those of the version before, where a migration exists from there to this one.
    package func noting(_ schema: Schema, after former: Schema?) -> Migration {
        Migration(
            from: from, to: to, fromHash: fromHash, toHash: toHash, steps: steps,
            schemaHash: schema.hash, objects: schema.fingerprints(besides: former),
            history: history)
    }

    /// What the whole migration means for the data: as much as the gravest step.
    public var kind: MigrationKind {
        steps.map(\.kind).max() ?? .additive
    }

    /// Whether data is deleted or becomes less exact, so that a copy of the store is made first.
    public var losesData: Bool {
        steps.contains(where: \.losesData)
    }

    /// Why the history of a store starts over; nil where it goes on.
    var historyObstacle: String? {
        if let history { return history.obstacle }
        if kind == .additive { return nil }
        return "The migration was planned without it"
    }

    /// The statements in order.
    var statements: [MigrationStatement] { steps.flatMap(\.statements) }

    /// What they do.
    var operations: [SchemaOperation] { statements.map(\.operation) }

    /// The names of the steps that the program supplies, in order.
    public var codeSteps: [String] {
        steps.compactMap(\.code)
    }
}

extension [Migration] {
    /// The same with what a store of each version that one starts from has.
    ///
    /// - Parameter schemas: The tables of all versions; the last ones are those of this chain.
    package func noting(_ schemas: [Schema]) -> [Migration] {
        let first = schemas.count - 1 - count
        guard first >= 0 else { return self }
        return enumerated().map { index, migration in
            // Earlier migrations are not in the chain, so that the first one says it all.
            migration.noting(
                schemas[first + index], after: index == 0 ? nil : schemas[first + index - 1])
        }
    }
}
