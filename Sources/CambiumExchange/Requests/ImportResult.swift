/// What an import has done.
public struct ImportResult: Sendable {
    /// How many objects are new.
    public internal(set) var inserted = 0
    /// How many rows met an object with their unique values, which got what they set. Of rows that
    /// met the same one, each counts.
    public internal(set) var updated = 0
    /// How many rows met an object with their unique values and were left out, as the policy says.
    public internal(set) var skipped = 0
    /// How many errors there were. A row may have several.
    public internal(set) var errorCount = 0
    /// The first errors, up to ``ImportRequest/maximumErrors``.
    public internal(set) var errors: [ImportError] = []
    /// Fields of the input that no property has, which were passed over: those of a CSV file's
    /// first line, and those of the first thousand JSON objects.
    public internal(set) var ignoredFields: [String] = []
    /// All objects that the import changed: what
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)`` takes. Empty unless the
    /// request asks for ``BatchResultType/objectIDs``.
    public internal(set) var changes = RemoteChanges()
}

/// How far an import has come.
public struct ImportProgress: Sendable, Hashable {
    /// The number of the source among the request's; the first has number 0.
    public let source: Int
    /// How many rows of all sources were read, those with errors too.
    public let rows: Int
    /// How many bytes of the source were read.
    public let bytes: Int
    /// How many bytes the source has; nil where that is not known.
    public let byteCount: Int?
}
