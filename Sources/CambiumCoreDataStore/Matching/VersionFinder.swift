import CambiumModel
import CambiumSQL

/// Finds the version of a model that wrote a store.
struct VersionFinder {
    /// The version that wrote a store.
    struct Match {
        let layout: CoreDataLayout
        let evidence: VersionEvidence
        /// The names of other versions that can have written it too.
        let alsoFits: [String]
        /// The versions among them that fit equally well, the oldest first.
        var others: [CoreDataLayout] = []
        /// The reason that an earlier one of them was not chosen, in words; nil if the earliest was
        /// chosen.
        var choice: String?
        /// The reason that the version named in the store was not chosen, in a sentence; nil if it
        /// was.
        var remark: String?
        /// The migrations from the version, if they were requested.
        var migrationPath: StoreMigrationPath?

        /// Returns the match with another one of the layouts.
        func taking(_ other: CoreDataLayout) -> Match {
            let names = alsoFits.filter { $0 != other.model.version } + [layout.model.version]
            return Match(layout: other, evidence: evidence, alsoFits: names)
        }
    }

    let store: CoreDataStore
    /// All versions, the oldest first.
    let versions: [Model]
    /// The hashes of the versions, if they are known.
    var hashes: VersionHashes?

    /// The version that wrote the store.
    ///
    /// Hashes identify a version exactly. An identifier is better evidence than the tables, because
    /// several versions may have the same tables. If it names a version that does not fit, the only
    /// version that fits is chosen. It is a common mistake to change the model without its
    /// identifier. If several fit equally well, the rows and the migrations decide.
    ///
    /// - Parameter forced: The name of the version, if it is known.
    func match(forced: String?) throws(CoreDataImportError) -> Match {
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
            guard known.mismatches.isEmpty else {
                throw .fitsNoVersion(mismatch(all, named: known))
            }
            return Match(layout: known, evidence: .hashes, alsoFits: [])
        }
        let fitting = layouts.filter(\.mismatches.isEmpty)
        let named = layouts.filter { isNamed($0.model) }
        let candidates = named.isEmpty ? fitting : named.filter(\.mismatches.isEmpty)
        guard let layout = candidates.first else {
            guard let wrong = named.first, fitting.count == 1 else {
                throw .fitsNoVersion(mismatch(all, named: named.min(by: Self.isNearer)))
            }
            var match = Match(layout: fitting[0], evidence: .structure, alsoFits: [])
            match.remark =
                "The store names the version '\(wrong.model.version)', which its tables do not fit. "
                + "'\(fitting[0].model.version)' is the only version that fits"
            return match
        }
        return Match(
            layout: layout, evidence: named.isEmpty ? .structure : .identifier,
            alsoFits: fitting.map(\.model.version).filter { $0 != layout.model.version },
            others: Array(candidates.dropFirst()))
    }

    private func isNamed(_ model: Model) -> Bool {
        model.identifier.map { !$0.isEmpty && store.metadata.identifiers.contains($0) } ?? false
    }

    private static func isNearer(_ one: CoreDataLayout, _ other: CoreDataLayout) -> Bool {
        one.mismatches.count < other.mismatches.count
    }

    /// The differences between a version and the store, in the tables and in the hashes.
    private func differences(of layout: CoreDataLayout) -> [String] {
        let hashed = hashes?.differences(of: layout.model.version, from: store) ?? []
        guard let first = hashed.first, layout.mismatches.isEmpty else {
            return layout.mismatches + hashed
        }
        return ["\(first), although all tables fit"] + hashed.dropFirst()
    }

    /// - Parameter named: The version that the store names.
    private func mismatch(
        _ layouts: [CoreDataLayout], named: CoreDataLayout?
    ) -> VersionMismatch {
        // If several are equally near, the named version comes first, or else the last, which is
        // the most probable.
        let others = layouts.filter { $0.model.version != named?.model.version }
        let sorted = ([named].compactMap(\.self) + others.reversed()).sorted {
            differences(of: $0).count < differences(of: $1).count
        }
        let entities = store.catalogue.entities.map(\.name)
        let known = Set(
            layouts.flatMap { layout in
                layout.model.entities.flatMap { [$0.name, $0.renamedFrom].compactMap(\.self) }
            })
        return VersionMismatch(
            store: store.path, model: layouts.first?.model.name ?? "",
            identifiers: store.metadata.identifiers, nearest: sorted.first?.model.version ?? "",
            differences: sorted.first.map(differences) ?? [],
            named: named.map {
                .init(version: $0.model.version, differences: differences(of: $0))
            },
            unknownEntities: known.isDisjoint(with: entities) ? entities : [],
            versions: sorted.map {
                .init(version: $0.model.version, differences: differences(of: $0).count)
            })
    }
}
