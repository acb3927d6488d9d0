import CambiumSQL

/// A moment of a migration, for whoever looks at the store in between.
package enum MigrationMoment: Sendable, Hashable {
    /// A statement is about to run.
    case before(MigrationStatement)
    /// A statement has run.
    case after(MigrationStatement)
}
