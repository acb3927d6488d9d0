import Cambium
import EverythingModel
import Testing

/// The runtime against a model of it that is nothing but dictionaries: sequences of fifty random
/// operations, after each of which the context's own books are checked, too.
struct RandomGraphTests {
    /// A kind of store, one of objects, and whether the context remembers changes.
    struct Setting: CustomTestStringConvertible {
        let store: StoreKind
        let objects: ObjectKind
        let isUndoable: Bool
        /// The part of the time. Most of what can go wrong does so on any store, and this one is
        /// made fastest.
        var share: Double {
            switch (store, objects) {
            case (.memory, .generated): 0.28
            case (.memory, .plain): 0.16
            default: 0.01
            }
        }

        var testDescription: String {
            "\(store.name), \(objects.rawValue)\(isUndoable ? ", undoable" : "")"
        }

        static let all = StoreKind.kinds.flatMap { store in
            ObjectKind.allCases.flatMap { objects in
                [false, true].map { Setting(store: store, objects: objects, isUndoable: $0) }
            }
        }
    }

    /// How many sequences one store sees, where they are many: to make it takes longer than one.
    private static let length = 10

    @Test(arguments: Setting.all)
    func `contexts show and save what was done to them`(_ setting: Setting) throws {
        try forEachSeed(share: setting.share, length: Self.length) { seed in
            try withContainer(setting.objects.graph, on: setting.store) { container in
                for number in 0..<UInt64(runsAreCounted ? Self.length : 1) {
                    var work = GraphWork(
                        container, isUndoable: setting.isUndoable, seed: seed + number)
                    try work.run(steps: 50)
                    try work.clear()
                }
            }
        }
    }
}
