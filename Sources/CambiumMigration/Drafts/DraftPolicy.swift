/// What becomes of a store that another draft of the program's version has written.
///
/// A version that is not frozen (`cambium freeze`) is a draft, and is changed in its place while a
/// program is being made. Stores that were written before such a change are on the developers'
/// machines only.
public enum DraftPolicy: String, Sendable, Hashable, CaseIterable {
    /// The store is not opened. The error names its file, says what differs and what can be done.
    case refuse
    /// The difference between the two drafts is planned when the store is opened, with the planner
    /// that the build has, and carried out in one transaction. A store for which that is ambiguous, or
    /// would lose data, is not opened, and the error lists the reasons. Neither is one with data that
    /// does not fit the program's draft, such as a number above a new limit.
    ///
    /// - Warning: This is the one migration that was not proven when the model was compiled. A copy of
    ///   the store is made first, unless the change only adds something.
    case migrate
    /// The store is moved aside, with the files of its large values, to a name that says so, such as
    /// `shop.draft-2026-11-23-215500.sqlite`. A new, empty store is made in its place. While another
    /// process has the store open, it is not opened. A store that was ever of a frozen version is
    /// never moved: it is not opened. Drafts that differ in limits or rules alone need no migration:
    /// their stores are opened as they are, and moved only if their data does not fit.
    case recreate
}
