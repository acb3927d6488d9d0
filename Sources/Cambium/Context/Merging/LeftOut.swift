/// What a merge leaves out of what others have saved, so that the save sees the conflict.
enum LeftOut {
    /// Nothing: unsaved changes stay on top, and what others have deleted goes with them.
    case nothing
    /// The deletions of objects that have unsaved changes.
    case deletions
    /// These, and the changes of properties that the current event has changed.
    case conflictsOfEvent
    /// These, and the changes of properties that any event has changed.
    case conflicts

    /// Whether changes of properties are among them.
    var hasConflicts: Bool { self == .conflictsOfEvent || self == .conflicts }
}

/// What an object has left out of what others have saved.
enum MissedChange: UInt8 {
    case nothing
    /// Other values, which contradict unsaved changes; or any, where the object is to be deleted.
    case change
    /// That its row was deleted.
    case deletion
}
