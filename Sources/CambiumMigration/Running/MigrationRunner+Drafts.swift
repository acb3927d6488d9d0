import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// Stores that another draft of one of the program's versions has written.
extension MigrationRunner {
    /// The migrations to the program's version from a store that another draft of one of its
    /// versions has written.
    ///
    /// - Returns: Nil if, according to its metadata, no other draft has written the store.
    /// - Throws: ``MigrationError/otherDraft(_:)`` if the policy does not allow it, if the plan is
    ///   ambiguous, or if data would be lost; `SQLiteError`.
    func draftChain(
        from store: StoreMetadata, in connection: Connection
    ) throws -> MigrationChain? {
        guard let drafts, let kept = try definition(of: store, in: connection),
            kept.frozenVersion != store.version,
            let old = Model(definition: kept.definition), old.versionHash == store.versionHash
        else { return nil }
        let schema = Schema(of: old)
        guard schema.hash == store.schemaHash else { return nil }
        let isCurrent = store.version == model.version
        guard isCurrent || migrations.contains(where: { $0.from == store.version }) else {
            return nil
        }
        func refusal(_ changes: [String], _ obstacles: [String]) -> MigrationError {
            .otherDraft(
                OtherDraft(
                    file: connection.fileName, model: model.name, version: store.version,
                    changes: changes, obstacles: obstacles, refusal: nil,
                    frozenVersion: kept.frozenVersion, definition: kept.definition))
        }
        guard let new = isCurrent ? model : drafts.draft(ofEarlier: store.version) else {
            throw refusal([], ["version \(store.version) has shipped since in another form"])
        }
        let found = DraftDifference(from: old, to: new)
        let newSchema = isCurrent ? self.schema : Schema(of: new)
        let (migration, obstacles) = Self.plan(found, from: schema, to: newSchema, store.version)
        guard let migration else { throw refusal(found.changes, obstacles) }
        guard
            let rest = MigrationChain(
                from: newSchema.metadata, to: target, among: migrations, knowingHashes: false)
        else {
            throw refusal(
                found.changes, ["no migration of the program starts from version \(store.version)"])
        }
        guard draftPolicy == .migrate else { throw refusal(found.changes, []) }
        guard allowsMigration else {
            throw refusal(
                found.changes,
                ["automatic migration is off (StoreOptions.migratesAutomatically)"])
        }
        return MigrationChain(
            [migration] + rest.migrations,
            draft: DraftStep(schema: schema, changes: found.changes))
    }

    /// Describes a store with rejected data: as one of another draft, or nil if it is of the
    /// program's own draft. Drafts that differ only in limits or rules are not distinguished before
    /// that.
    func draft(
        refusedFor refusal: MigrationRefusal, _ store: StoreMetadata, _ kept: StoreDefinition,
        in connection: Connection
    ) -> OtherDraft? {
        guard kept.frozenVersion != store.version, let old = Model(definition: kept.definition),
            let new = store.version == model.version
                ? model : drafts?.draft(ofEarlier: store.version)
        else { return nil }
        let changes = DraftDifference(from: old, to: new).changes
        return changes.isEmpty
            ? nil
            : OtherDraft(
                file: connection.fileName, model: model.name, version: store.version,
                changes: changes, obstacles: [], refusal: refusal,
                frozenVersion: kept.frozenVersion, definition: kept.definition)
    }

    /// Plans the migration between two drafts.
    ///
    /// - Returns: The migration, or the reasons why there is none.
    private static func plan(
        _ found: DraftDifference, from old: Schema, to new: Schema, _ version: String
    ) -> (migration: Migration?, obstacles: [String]) {
        guard found.obstacles.isEmpty else { return (nil, found.obstacles) }
        do throws(MigrationProblems) {
            let plan = try MigrationPlan(found.difference, schemas: (old, new))
            let losses = plan.steps.filter(\.losesData).map { "\($0.summary) loses data" }
            guard losses.isEmpty else { return (nil, losses) }
            return (
                Migration(
                    from: version, to: version, fromHash: old.metadata.versionHash,
                    toHash: new.metadata.versionHash, steps: plan.steps, schemaHash: old.hash,
                    history: plan.history), []
            )
        } catch {
            return (nil, error.problems.map(\.fact))
        }
    }

    // MARK: The definition in a store

    private func definition(
        of store: StoreMetadata, in connection: Connection
    ) throws(SQLiteError) -> StoreDefinition? {
        StoreDefinition(rows: try connection.rows(StoreDefinition.query), of: store)
    }

    /// The definition to be kept in a store that was migrated along a chain from an earlier
    /// version.
    ///
    /// - Parameters:
    ///   - kept: Its former definition. The author of a store without one is unknown.
    ///   - store: Its former metadata; nil if it was just created.
    private func definition(
        after kept: StoreDefinition?, of store: StoreMetadata?, along chain: MigrationChain?,
        _ drafts: DraftVersions
    ) -> StoreDefinition {
        let before = kept == nil ? store?.version : kept?.frozenVersion
        let versions = (chain?.versions ?? []) + [model.version]
        return StoreDefinition(
            definition: drafts.definition,
            frozenVersion: versions.last(where: drafts.isFrozen) ?? before)
    }

    /// Writes the definition into a store, in the transaction that has created or migrated it.
    ///
    /// - Parameter store: Its former metadata; nil if it was just created.
    func note(
        _ store: StoreMetadata?, after chain: MigrationChain?, keeping kept: StoreDefinition?,
        in connection: Connection
    ) throws(SQLiteError) {
        guard let drafts else { return }
        let definition = definition(after: kept, of: store, along: chain, drafts)
        for row in definition.rows(of: target) {
            _ = try connection.rows(StoreDefinition.update, row)
        }
    }

    /// The definition in a store before it is changed; nil if it is not needed.
    func keptDefinition(
        of store: StoreMetadata, in connection: Connection
    ) throws(SQLiteError) -> StoreDefinition? {
        drafts == nil ? nil : try definition(of: store, in: connection)
    }

    /// Writes the definition into a store of the program's version, if it is missing or outdated.
    func noteDefinition(in connection: Connection) throws {
        guard let drafts, !isReadOnly else { return }
        let kept = try definition(of: target, in: connection)
        guard definition(after: kept, of: target, along: nil, drafts) != kept else { return }
        try connection.transaction {
            // Another process may have been faster.
            guard try Self.readMetadata(connection) == target else { return }
            try note(
                target, after: nil, keeping: definition(of: target, in: connection), in: connection)
        }
    }
}

/// The versions of the program that have shipped, and the definitions of the others.
package struct DraftVersions: Sendable {
    /// The `Model.definition` of the program's version.
    let definition: String
    /// The program's version.
    private let current: String
    /// Whether the version has shipped.
    private let isFrozen: Bool
    /// The definitions of the earlier versions that have not shipped.
    private let earlier: [String: String]

    /// - Parameters:
    ///   - model: The program's version.
    ///   - isFrozen: Whether the version has shipped.
    ///   - earlier: The `Model.definition` of each earlier version that has not shipped.
    package init(of model: Model, isFrozen: Bool, earlier: [String: String]) {
        definition = model.definition
        current = model.version
        self.isFrozen = isFrozen
        self.earlier = earlier
    }

    /// Whether a version has shipped.
    func isFrozen(_ version: String) -> Bool {
        version == current ? isFrozen : earlier[version] == nil
    }

    /// The program's own draft of an earlier version; nil if it has shipped.
    func draft(ofEarlier version: String) -> Model? {
        earlier[version].flatMap(Model.init(definition:))
    }
}
