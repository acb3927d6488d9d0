import CambiumModel

/// Why a store cannot be exported. Nothing was changed.
package enum ExportError: Error, Sendable, Hashable {
    /// No version of the model is the store's.
    case unknownVersion(model: String, store: String, hash: String, known: [String])
    /// A row holds what is no value of its attribute, which another program must have written.
    case unreadable(entity: String, key: Int64, attribute: String)
    /// A row is of an entity that the model does not have.
    case unknownEntity(root: String, key: Int64, name: String)
    /// The file of a large value cannot be read.
    case missingFile(
        entity: String, key: Int64, attribute: String, path: String, reason: String)
}

extension ExportError: CustomStringConvertible {
    /// What happened and what to do about it.
    package var description: String {
        switch self {
        case .unknownVersion(let model, let store, let hash, let known):
            "The store is of version \(store.excerpt()) (\(hash.excerpt())), which is none of the model \(model): it "
                + "has \(known.joined(separator: ", ")). Name the model that the store is of, with "
                + "that version in it"
        case .unreadable(let entity, let key, let attribute):
            "\(entity) \(key) holds what is no value of \(attribute): another program has written "
                + "it. Set it to one, or to NULL"
        case .unknownEntity(let root, let key, let name):
            "The row \(key) of the table \(root) is of the entity '\(name.excerpt())', which the model "
                + "does not have: another program has written it. Correct its _entity"
        case .missingFile(let entity, let key, let attribute, let path, let reason):
            "The file of \(attribute) of \(entity) \(key) cannot be read: \(path), \(reason). Put "
                + "it there from a backup, or set the value to NULL"
        }
    }
}
