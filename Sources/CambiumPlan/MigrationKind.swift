/// What a change of a model means for the data that is there.
public enum MigrationKind: String, Sendable, Hashable, CaseIterable {
    /// Something new; nothing that was there is touched.
    case additive
    /// The same data in another place or under another name; the way back exists.
    case reversible
    /// Data becomes less exact, or goes away where the author said that it may: values, links, or
    /// whole objects.
    case lossy
    /// Data goes away that nobody has given up. No migration that is compiled does that: the build
    /// stops and asks.
    case destructive
    /// Data must be added or must meet a new condition; a store whose data does not is refused and
    /// stays as it was.
    case needsData
    /// Only code that knows the data can do it.
    case needsCode
}

extension MigrationKind: Comparable {
    /// Orders kinds by how much care they need.
    public static func < (left: MigrationKind, right: MigrationKind) -> Bool {
        left.severity < right.severity
    }

    private var severity: Int {
        switch self {
        case .additive: 0
        case .reversible: 1
        case .lossy: 2
        case .destructive: 3
        case .needsData: 4
        case .needsCode: 5
        }
    }
}
