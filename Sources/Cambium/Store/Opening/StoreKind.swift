import CambiumMigration
import CambiumSQLiteStore

/// Makes the stores of one ``StoreType``. Cambium has SQLite's. Another product adds a kind with a type
/// of this protocol, and an extension of ``StoreType`` that names it, as `CambiumCustomStores` does.
package protocol StoreKind: Sendable {
    /// Whether a store can take back what it has written, until it commits. A save to several stores
    /// writes first to those that can.
    var isTransactional: Bool { get }

    /// Makes what opens a store.
    func opener(for request: StoreOpeningRequest) -> any StoreOpening

    /// What migrates a store by hand, and what a program has for that; nil for a store that Cambium
    /// does not migrate, and for files.
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
    /// What migrates the store on a server by hand, and what a program has for that; nil for other
    /// stores.
    package func migrations(
        of compiled: CompiledModel
    ) -> (store: any ServerMigrations, target: ServerTarget)? {
        type.kind.migrations(of: compiled)
    }
}

/// Which store is to be opened, and for what.
package struct StoreOpeningRequest {
    package let description: StoreDescription
    package let compiled: CompiledModel
    /// The numbers of the root entities that it is to hold.
    package let roots: Set<Int>
    /// Whether a store is migrated where the options do not say.
    let migratesByDefault: Bool
    /// Where the store is that a new one gets its rows from.
    var source: StoreLocation?

    /// What opens stores of its kind.
    var opener: any StoreOpening { description.type.kind.opener(for: self) }
}

extension StoreDescription {
    /// What opens the store outside of a coordinator, and the numbers of the root entities that it
    /// holds. It is not migrated unless the options say so.
    package func opener(
        of compiled: CompiledModel
    ) throws -> (opener: any StoreOpening, roots: Set<Int>) {
        let roots = try compiled.modelDescription.roots(ofConfiguration: configuration)
        let request = StoreOpeningRequest(
            description: self, compiled: compiled, roots: roots, migratesByDefault: false)
        return (request.opener, roots)
    }
}

/// Stores in SQLite, which belong to Cambium itself.
enum SQLiteKind: StoreKind {
    /// Where the description says.
    case file
    /// In memory, whatever the description says.
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

    /// Warns of a policy that is for development, where the program is none that is being developed.
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
