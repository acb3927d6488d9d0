import CambiumSQL

/// What opening a store did to it.
public enum MigrationOutcome: Sendable, Hashable {
    /// There was nothing; the store is new.
    case created
    /// The store had the program's version.
    case current
    /// The store had the program's version; checks, defaults or indexes were brought up to date, or
    /// what another program had changed was repaired. `backup` is the path of the copy, where one
    /// was made.
    case refreshed(backup: String?)
    /// The store had an earlier version, or was written with another draft of the program's version:
    /// then `from` and `to` are equal. `backup` is the path of the copy, where one was made.
    case migrated(from: String, to: String, steps: [MigrationStep], backup: String?)
}
