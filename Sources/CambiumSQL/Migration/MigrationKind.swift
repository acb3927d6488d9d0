/// What a change of a model means for the data that is there.
public enum MigrationKind: String, Sendable, Hashable, CaseIterable {
    /// Something new; nothing that was there is touched.
    case additive
    /// The same data in another form; the way back exists.
    case reversible
    /// Data must be added or must meet a new condition; a store whose data does not is refused and
    /// stays as it was.
    case needsData
    /// Data becomes less exact.
    case lossy
    /// Data goes away.
    case destructive
    /// Only code that knows the data can do it.
    case needsCode

    /// Whether a copy of the store is made first.
    public var needsBackup: Bool {
        switch self {
        case .lossy, .destructive, .needsCode: true
        case .additive, .reversible, .needsData: false
        }
    }
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
        case .needsData: 2
        case .lossy: 3
        case .destructive: 4
        case .needsCode: 5
        }
    }
}
