import CambiumModel

/// What is remembered of a version that has shipped: two hashes of what its stores were made by.
///
/// Neither depends on how the file is laid out, on the order of declarations, or on what only the
/// program sees (code generation, messages, named requests, merge and delete rules, user info), so
/// all of that may still change. Nor do they depend on the SQL: a newer compiler that writes better
/// SQL breaks no lock.
struct LockedVersion: Equatable {
    /// The version's name.
    let name: String
    /// `Model.versionHash`: tables and columns. Where it changes, stores in use no longer open.
    let storage: String
    /// The hash of ``Model/conditionsText``: what rows had to meet and how they were migrated.
    /// Where it changes, stores in use open and are not what the next migration believes.
    let conditions: String

    init(name: String, storage: String, conditions: String) {
        self.name = name
        self.storage = storage
        self.conditions = conditions
    }

    /// Takes down a version as it is now.
    init(_ version: CheckedModel) {
        name = version.model.version
        storage = version.model.versionHash
        conditions = SHA256.hexadecimal(of: LockedConditions.text(of: version))
    }
}
