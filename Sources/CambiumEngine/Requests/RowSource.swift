/// Where rows come from that an engine writes, and so what is done on their way.
///
/// What needs no store has happened before: defaults and conversions, and what a context validates.
/// Two sources are not here, since their rows take another way: a move copies rows as they are, and
/// an adopted store is repaired and reported.
package enum RowSource: CaseIterable, Sendable {
    /// The save of a context.
    case save
    /// A batch insertion or update, or an import.
    case batch
    /// A batch deletion, with the links that it cuts.
    case deletion

    /// What an engine does with their rows, in the order of the cases.
    package var stages: Set<RowStage> {
        switch self {
        case .save: Set(RowStage.allCases).subtracting([.rules])
        case .batch: Set(RowStage.allCases)
        case .deletion: Set(RowStage.allCases).subtracting([.partners, .rules])
        }
    }
}

/// What an engine does with rows that it writes.
package enum RowStage: CaseIterable, Sendable {
    /// Large values go to files.
    case files
    /// Rows are deleted, updated and inserted, and the engine's own checks hold for them.
    case rows
    /// Links that are in no row are made and cut.
    case links
    /// Lists get their order, when all their members are there.
    case lists
    /// No object of a one-to-one has two partners.
    case partners
    /// What is derived from the rows is brought up to date.
    case derivedValues
    /// Rules hold that the engine's own checks do not know. A context has validated its objects.
    case rules
}
