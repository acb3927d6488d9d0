import Testing

/// Lists of all kinds, followed in all four ways, against a model of a table view that refuses what
/// a real one refuses: with undo and redo, refreshes, and deletions by a sibling.
struct RandomTableTests {
    @Test func `no view is given an update that it refuses, and all show what a fetch finds`()
        throws
    {
        try forEachSeed(for: 1) { seed in
            let program = TableProgram(seed: seed)
            guard try program.failure() != nil else { return }
            let short = try program.shrunk()
            let steps = "\(short.steps.count) of \(program.steps.count) steps"
            throw TableView.Inconsistency("\(steps), \(try short.failure() ?? "")")
        }
    }
}
