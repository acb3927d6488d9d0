/// Where rows come from that an engine writes, and so what is done on their way.
///
/// What needs no store has happened before: defaults and conversions, and what a context validates.
/// Two sources are not here, since their rows take another way: a move copies rows as they are, and
/// an imported Core Data store is repaired and reported.
package enum RowSource: CaseIterable, Sendable {
    /// The save of a context.
    case save
    /// A batch insertion or update, or an import.
    case batch
    /// A batch deletion, with the links that it cuts.
    case deletion

    /// What an engine does with their rows.
    package var stages: RowStages {
        switch self {
        case .save: .all.subtracting(.rules)
        case .batch: .all
        case .deletion: .all.subtracting([.partners, .rules])
        }
    }

    /// Whether an engine names the first row, in the order of the keys, whose values are refused. A
    /// save is notified of a conflict, and looks for conflicts.
    package var namesRefusedRow: Bool { self != .save }
}

/// What an engine does with rows that it writes, in this order. Derived values of rows that cease to
/// be related are looked up before any row is written.
package struct RowStages: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Large values go to files.
    package static let files = RowStages(rawValue: 1)
    /// Rows are deleted, updated and inserted, and the engine's own checks hold for them.
    package static let rows = RowStages(rawValue: 2)
    /// Links that are in no row are made and cut.
    package static let links = RowStages(rawValue: 4)
    /// Lists get their order, when all their members exist.
    package static let lists = RowStages(rawValue: 8)
    /// No object of a one-to-one has two partners.
    package static let partners = RowStages(rawValue: 16)
    /// What is derived from the rows is brought up to date.
    package static let derivedValues = RowStages(rawValue: 32)
    /// Rules hold that the engine's own checks do not know. A context has validated its objects.
    package static let rules = RowStages(rawValue: 64)

    static let all: RowStages = [.files, .rows, .links, .lists, .partners, .derivedValues, .rules]
}
