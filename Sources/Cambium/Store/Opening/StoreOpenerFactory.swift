import CambiumMigration
import CambiumSQLiteStore

/// Chooses what opens the store that a description describes.
struct StoreOpenerFactory {
    let description: StoreDescription
    let compiled: CompiledModel
    /// The numbers of the root entities that it is to hold.
    let roots: Set<Int>
    /// Whether a store is migrated where the options do not say.
    let migratesByDefault: Bool
    /// Where the store is that a new one gets its rows from.
    var source: StoreLocation?

    /// What opens stores of its kind.
    var opener: any StoreOpening {
        switch description.type.kind {
        case .sqlite: sqlite(at: description.location.path, willOpen: warnAboutDrafts)
        case .memory: sqlite(at: nil) {}
        case .atomic(let make):
            custom { try AtomicBackend(make($0), compiled.model) }
        case .incremental(let make):
            custom { try IncrementalBackend(make($0), compiled.model) }
        }
    }

    private func sqlite(
        at path: String?, willOpen: @escaping @Sendable () -> Void
    ) -> SQLiteOpener {
        let compiled = compiled
        return SQLiteOpener(
            path: path, description.options, compiled.modelDescription,
            { compiled.migrationRunner }, statements: compiled.schema,
            migratesByDefault: migratesByDefault,
            source: source?.path, willOpen: willOpen
        ) { SectionCacheFile.remove(nil, ofStore: $0) }
    }

    private func custom(
        _ makeBackend: @escaping (StoreSetup) throws -> any NodeBackend
    ) -> CustomOpener {
        let model = compiled.modelDescription
        let setup = StoreSetup(
            model: model.model,
            entityNames: model.entities.filter { roots.contains($0.rootIndex) }.map(\.name),
            location: description.location, description: description)
        return CustomOpener(
            model: model, roots: roots, isReadOnly: description.options.isReadOnly
        ) { try makeBackend(setup) }
    }

    /// Warns of a policy that is for development, where the program is none that is being developed.
    func warnAboutDrafts() {
        #if DEBUG
            let isDevelopment = true
        #else
            let isDevelopment = false
        #endif
        if let warning = Self.warning(
            about: description.options.draftPolicy, isDevelopment: isDevelopment)
        {
            StandardError.note(warning)
        }
    }

    /// What to say of a policy; nil where there is nothing to say.
    ///
    /// - Parameter isDevelopment: Whether the program was compiled with `DEBUG`, and Cambium, which is
    ///   compiled with it, too.
    static func warning(about policy: DraftPolicy, isDevelopment: Bool) -> String? {
        guard policy != .refuse, !isDevelopment else { return nil }
        return "StoreOptions.draftPolicy is .\(policy.rawValue), which is for development, in a "
            + "program that was compiled without DEBUG. Set it inside #if DEBUG"
    }
}
