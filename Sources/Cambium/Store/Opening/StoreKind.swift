import CambiumMigration
import CambiumSQLiteStore

/// Creates the stores of one ``StoreType``. Cambium has SQLite's. Another product adds a kind with
/// a type of this protocol, and an extension of ``StoreType`` that names it, as
/// `CambiumCustomStores` does.
package protocol StoreKind: Sendable {
    /// Whether a store can roll back its writes until it commits. A save to several stores first
    /// writes to the ones that can.
    var isTransactional: Bool { get }

    /// Returns the opener of a store.
    func opener(for request: StoreOpeningRequest) -> any StoreOpening

    /// Returns the operations that migrate the store explicitly, with the model for them. Nil for
    /// files, and for stores that Cambium does not migrate.
    func migrations(
        of compiled: CompiledModel
    ) -> (store: any ServerMigrations, target: ServerTarget)?
}

extension StoreKind {
    /// A store that Cambium does not migrate.
    package func migrations(
        of compiled: CompiledModel
    ) -> (store: any ServerMigrations, target: ServerTarget)? { nil }
}

extension StoreLocation {
    /// Returns the operations that migrate a store on a server explicitly, with the model for them.
    /// The result is nil if the store is not on a server.
    package func migrations(
        of compiled: CompiledModel
    ) -> (store: any ServerMigrations, target: ServerTarget)? {
        type.kind.migrations(of: compiled)
    }
}

/// A request to open a store.
package struct StoreOpeningRequest {
    package let description: StoreDescription
    package let compiled: CompiledModel
    /// The numbers of the root entities that it is to hold.
    package let roots: Set<Int>
    /// Whether a store is migrated if the options do not specify it.
    package let migratesByDefault: Bool
    /// The location of the store from which a new one gets its rows.
    var source: StoreLocation?

    /// The opener of stores of its kind.
    var opener: any StoreOpening { description.type.kind.opener(for: self) }
}

extension StoreDescription {
    /// Returns an opener of the store outside of a coordinator, and the numbers of the root
    /// entities in the store. The store is not migrated unless the options specify it.
    package func opener(
        of compiled: CompiledModel
    ) throws -> (opener: any StoreOpening, roots: Set<Int>) {
        let roots = try compiled.modelDescription.roots(ofConfiguration: configuration)
        let request = StoreOpeningRequest(
            description: self, compiled: compiled, roots: roots, migratesByDefault: false)
        return (request.opener, roots)
    }
}

/// Stores in SQLite. They belong to Cambium itself.
enum SQLiteKind: StoreKind {
    /// In the location of the description.
    case file
    /// In memory. The location in the description is ignored.
    case memory

    var isTransactional: Bool { true }

    func opener(for request: StoreOpeningRequest) -> any StoreOpening {
        let (description, compiled) = (request.description, request.compiled)
        return SQLiteOpener(
            path: self == .memory ? nil : description.location.path, description.options,
            compiled.modelDescription, { compiled.migrationRunner }, statements: compiled.schema,
            migratesByDefault: request.migratesByDefault, source: request.source?.path,
            willOpen: { if self == .file { Self.warn(about: description.options.draftPolicy) } }
        ) { SectionCacheFile.remove(nil, ofStore: $0) }
    }

    /// Warns of a policy for development if the program was not compiled for development.
    private static func warn(about policy: DraftPolicy) {
        #if DEBUG
            let isDevelopment = true
        #else
            let isDevelopment = false
        #endif
        if let warning = warning(about: policy, isDevelopment: isDevelopment) {
            StandardError.note(warning)
        }
    }

    /// The warning about a policy; nil if there is none.
    ///
    /// - Parameter isDevelopment: Whether the program was compiled with `DEBUG`. Cambium is
    ///   compiled with it, too.
    static func warning(about policy: DraftPolicy, isDevelopment: Bool) -> String? {
        guard policy != .refuse, !isDevelopment else { return nil }
        return "StoreOptions.draftPolicy is .\(policy.rawValue), which is for development, in a "
            + "program that was compiled without DEBUG. Set it inside #if DEBUG"
    }
}
