import CambiumModel

/// The hashes of the versions of a model, as Xcode writes them beside the compiled model:
/// `VersionInfo.plist` in `Shop.momd`.
///
/// Core Data compares entities by their hashes. These also distinguish versions with equal tables.
package struct VersionHashes: Sendable {
    /// The hash of each entity, by version.
    let versions: [String: [String: Data]]

    /// Reads the file; nil if it is not such a list in the binary form.
    package init?(_ bytes: Data) {
        guard let list = BinaryPropertyList([UInt8](bytes)),
            case .dictionary(let versions)? = list.dictionary["NSManagedObjectModel_VersionHashes"]
        else { return nil }
        var found: [String: [String: Data]] = [:]
        for (name, hashes) in versions {
            guard case .string(let version) = list.value(name),
                case .dictionary(let entities) = list.value(hashes)
            else { continue }
            for (key, member) in entities {
                guard case .string(let entity) = list.value(key),
                    case .data(let hash) = list.value(member)
                else { continue }
                found[version, default: [:]][entity] = hash
            }
        }
        guard !found.isEmpty else { return nil }
        self.versions = found
    }

    /// Whether the entities of a store are the entities of a version; nil if the version is
    /// unknown.
    func isVersion(_ version: String, of store: CoreDataStore) -> Bool? {
        guard let hashes = versions[version], !store.metadata.hashes.isEmpty else { return nil }
        // A store of a configuration has some of the entities.
        return store.metadata.hashes.allSatisfy { hashes[$0.key] == $0.value }
    }

    /// The entities that differ between a version and a store, in words; empty if the version is
    /// unknown.
    func differences(of version: String, from store: CoreDataStore) -> [String] {
        guard let hashes = versions[version] else { return [] }
        return store.metadata.hashes.sorted { $0.key < $1.key }.compactMap { entity, hash in
            switch hashes[entity] {
            case hash?: nil
            case nil: "the hashes of the version have no entity \(entity)"
            case _?: "the hash of \(entity) is another one than the version's"
            }
        }
    }
}
