import CambiumModel
import CambiumSQL

/// Finds the version of a model that wrote a store.
struct VersionFinder {
    /// How a version was found.
    enum Evidence: String {
        /// Its hashes are in the store.
        case hashes
        /// Its identifier is in the store, and all that the store has fits.
        case identifier
        /// All that the store has fits.
        case structure
        /// Somebody said so.
        case forced
    }

    /// The version that wrote a store.
    struct Match {
        let layout: CoreDataLayout
        let evidence: Evidence
        /// The names of other versions that can have written it too.
        let alsoFits: [String]
    }

    let store: CoreDataStore
    /// All versions, the oldest first.
    let versions: [Model]
    /// The hashes of the versions, where somebody has them.
    var hashes: VersionHashes?

    /// The version that wrote the store.
    ///
    /// Hashes tell all. An identifier tells more than the tables, which versions may have in common:
    /// if one is in the store, its version is the one, or there is none. Of several that fit alike the earliest is
    /// taken, as the migrations lead on from there.
    ///
    /// - Parameter forced: The name of the version, where somebody knows it.
    func match(forced: String?) throws(AdoptionError) -> Match {
        if let forced {
            guard let model = versions.first(where: { $0.version == forced }) else {
                throw .noSuchVersion(forced, known: versions.map(\.version))
            }
            return Match(
                layout: CoreDataLayout(of: model, in: store.catalogue), evidence: .forced,
                alsoFits: [])
        }
        let all = versions.map { CoreDataLayout(of: $0, in: store.catalogue) }
        let layouts = all.filter { hashes?.isVersion($0.model.version, of: store) != false }
        if let known = layouts.first(where: {
            hashes?.isVersion($0.model.version, of: store) == true
        }) {
            guard known.differences.isEmpty else {
                throw .fitsNoVersion(mismatch(all, [known]))
            }
            return Match(layout: known, evidence: .hashes, alsoFits: [])
        }
        let fitting = layouts.filter(\.differences.isEmpty)
        let named = layouts.filter { isNamed($0.model) }
        let chosen = named.first(where: \.differences.isEmpty)
        guard let layout = chosen ?? (named.isEmpty ? fitting.first : nil) else {
            throw .fitsNoVersion(mismatch(all, named))
        }
        return Match(
            layout: layout, evidence: chosen == nil ? .structure : .identifier,
            alsoFits: fitting.map(\.model.version).filter { $0 != layout.model.version })
    }

    private func isNamed(_ model: Model) -> Bool {
        model.identifier.map { !$0.isEmpty && store.identifiers.contains($0) } ?? false
    }

    private func mismatch(_ layouts: [CoreDataLayout], _ named: [CoreDataLayout]) -> VersionMismatch
    {
        // Of those that are equally far the last one, which is mostly the one that is in use.
        let sorted = layouts.reversed().sorted { $0.differences.count < $1.differences.count }
        let nearest = named.min { $0.differences.count < $1.differences.count } ?? sorted.first
        return VersionMismatch(
            store: store.path, model: layouts.first?.model.name ?? "",
            identifiers: store.identifiers, nearest: nearest?.model.version ?? "",
            differences: nearest?.differences ?? [],
            versions: sorted.map {
                .init(version: $0.model.version, differences: $0.differences.count)
            })
    }
}
