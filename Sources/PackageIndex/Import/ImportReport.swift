/// The result of an import.
struct ImportReport: Sendable {
    /// The number of lines that start a package, as counted by `grep -c '^Package:'`.
    var read = 0
    /// Packages that were not in the store.
    var inserted = 0
    /// Packages that were in the store with other values or other dependencies.
    var updated = 0
    /// Packages that were in the store exactly as in the list.
    var unchanged = 0
    /// Dependency edges of the imported packages.
    var edges = 0
    /// The number of edges with a target in the store.
    var resolvedEdges = 0
    /// Edges inserted, changed or deleted.
    var changedEdges = 0
    /// Stanzas that are about no package at all.
    var otherStanzas = 0
    /// The packages that were not imported, with the reasons.
    var refused: [Refusal] = []

    /// Packages of the list that are in the store now.
    var imported: Int { inserted + updated + unchanged }

    /// Whether the store was written.
    var hasChanges: Bool { inserted + updated + changedEdges > 0 }
}

/// A row of the list that was not imported.
struct Refusal: Sendable {
    let line: Int
    /// The package, if known.
    let package: String
    let reason: String
}
