import Cambium
import EverythingModel
import Testing

/// The runtime against a model of it that is nothing but dictionaries: sequences of fifty random
/// operations, after each of which the context's own books are checked, too.
struct RandomGraphTests {
    /// A kind of store, and whether the context remembers changes.
    struct Setting: CustomTestStringConvertible {
        let kind: StoreKind
        let isUndoable: Bool
        /// The part of the time. Most of what can go wrong does so on any store, and this one is
        /// made fastest.
        var share: Double { kind == .memory ? 0.44 : 0.02 }

        var testDescription: String { "\(kind.rawValue)\(isUndoable ? ", undoable" : "")" }

        static let all = StoreKind.allCases.flatMap {
            [Setting(kind: $0, isUndoable: false), Setting(kind: $0, isUndoable: true)]
        }
    }

    @Test(arguments: Setting.all)
    func `contexts show and save what was done to them`(_ setting: Setting) throws {
        try forEachSeed(share: setting.share) { seed in
            try withContainer(Everything.model, on: setting.kind) { container in
                var work = GraphWork(container, isUndoable: setting.isUndoable, seed: seed)
                try work.run(steps: 50)
            }
        }
    }
}
