/// What of a store's file a program trusts.
///
/// ```swift
/// // A document that somebody has sent.
/// var options = StoreOptions()
/// options.trust = .schemaOnly
/// ```
///
/// Whatever the trust, a store's tables are compared with the model before anything is read from
/// them, and SQLite runs with its own defences: no code is loaded, no function with effects is
/// called by what the file says, and no statement can damage the file.
public enum StoreTrust: Sendable, Hashable, CaseIterable {
    /// External tables, indexes, views and triggers are allowed, and work as their makers meant them
    /// to. A trigger runs when a row of its table is saved, and the expression of an index on one of
    /// the model's tables is computed then: in a hostile file either may change rows, or not come to
    /// an end.
    case externalObjects
    /// The store must have nothing but what the model and its history need: a store with an external
    /// table, index, view or trigger is refused, with an error that names each. What has changed about
    /// the model's own tables is refused too where ``StoreOptions/driftPolicy`` is
    /// ``DriftPolicy/report``, and so is a store that needs its checks or indexes brought up to date
    /// while migration is off.
    case schemaOnly
}
