import Cambium
import EverythingModel
import Testing

/// Two contexts change one object (rules 66–70).
struct ConflictTests {
    /// What two contexts do to a saved tally, and what a third reads when both have saved.
    private struct Outcome {
        let title: String
        let note: String
        let ours: Seen<Tally>
        let context: ManagedObjectContext
    }

    private func resolve(
        _ policy: MergePolicy, theirs: (Seen<Tally>) -> Void,
        ours: (Seen<Tally>) -> Void, _ check: (Outcome) throws -> Void
    ) throws {
        for objects in ObjectKind.allCases {
            try resolve(policy, objects, theirs: theirs, ours: ours, check)
        }
    }

    private func resolve(
        _ policy: MergePolicy, _ objects: ObjectKind,
        theirs: (Seen<Tally>) -> Void, ours: (Seen<Tally>) -> Void,
        _ check: (Outcome) throws -> Void
    ) throws {
        try withContainer(objects.everything) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let tally = try first.insert(Tally.self) { ($0.title, $0.note) = ("base", "base") }
            try first.save()
            let same: Seen<Tally> = second.see(tally.objectID)
            second.mergePolicy = policy
            ours(same)
            theirs(tally)
            try first.save()
            try second.save()
            #expect(!second.hasChanges)
            let reader = container.newContext()
            let read: Seen<Tally> = reader.see(tally.objectID)
            #expect(read.title == same.title)
            #expect(read.note == same.note)
            try check(
                Outcome(title: read.title, note: read.note, ours: same, context: second))
            // The context knows the row's new version: its next save meets no conflict.
            second.mergePolicy = .error
            same.note = "after"
            try second.save()
        }
    }

    @Test func `different properties are an error too`() throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let tally = Tally(in: first)
            try first.save()
            try second.get(tally.objectID, as: Tally.self).note = "ours"
            tally.title = "theirs"
            try first.save()
            let error = #expect(throws: ConflictError.self) { try second.save() }
            #expect(error?.conflicts.first?.properties == [])
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump])
    func `changes of different properties are both kept`(
        _ policy: MergePolicy
    ) throws {
        try resolve(policy, theirs: { $0.title = "theirs" }, ours: { $0.note = "ours" }) {
            #expect($0.title == "theirs")
            #expect($0.note == "ours")
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump])
    func `of changes of the same property the policy's side is kept`(_ policy: MergePolicy) throws {
        try resolve(policy, theirs: { $0.title = "theirs" }, ours: { $0.title = "ours" }) {
            #expect($0.title == (policy == .storeTrump ? "theirs" : "ours"))
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump])
    func `a property that was set to what it was yields to a real change`(
        _ policy: MergePolicy
    ) throws {
        try resolve(
            policy, theirs: { $0.title = "theirs" },
            ours: {
                $0.title = "base"
                $0.note = "ours"
            }
        ) {
            #expect($0.title == "theirs")
            #expect($0.note == "ours")
        }
    }

    @Test func `equal values are not written, but their conflict counts`() throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let tally = Tally(in: first, title: "base")
            try first.save()
            let same: Tally = try second.get(tally.objectID)
            same.title = "base"
            tally.title = "theirs"
            try first.save()
            #expect(throws: ConflictError.self) { try second.save() }
            second.mergePolicy = .objectTrump
            try second.save()
            #expect(same.title == "theirs")
            #expect(!second.hasChanges)
        }
    }

    // MARK: Merge rules

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump])
    func `a merge rule goes before the policy`(_ policy: MergePolicy) throws {
        func check(_ mine: Int64, _ other: Int64) throws {
            try resolve(
                policy,
                theirs: {
                    ($0.greatest, $0.least, $0.total) = (other, Double(other), other)
                    ($0.balance, $0.theirs, $0.ours) = (Double(other), "theirs", "theirs")
                },
                ours: {
                    ($0.greatest, $0.least, $0.total) = (mine, Double(mine), mine)
                    ($0.balance, $0.theirs, $0.ours) = (Double(mine), "ours", "ours")
                }
            ) { outcome in
                let tally = outcome.ours
                #expect(tally.greatest == max(mine, other))
                #expect(tally.least == Double(min(mine, other)))
                #expect(tally.total == mine + other)
                #expect(tally.balance == Double(mine + other))
                #expect(tally.theirs == "theirs")
                #expect(tally.ours == "ours")
            }
        }
        try check(3, 5)
        try check(5, 3)
        try check(-5, 3)
    }

    @Test func `a sum that does not fit stays the store's`() throws {
        try resolve(
            .objectTrump, theirs: { $0.total = .max }, ours: { $0.total = 1 }
        ) {
            #expect($0.ours.total == .max)
        }
    }

    // MARK: To-many

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump])
    func `of two moves one is kept, and lists that are loaded show it`(
        _ policy: MergePolicy
    ) throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let boxes = (0..<3).map { Box(in: first, name: "\($0)") }
            let node = Node(in: first, box: boxes[0])
            try first.save()
            let same: Node = try second.get(node.objectID)
            let others: [Box] = try boxes.map { try second.get($0.objectID) }
            #expect(others.map(\.nodes.count) == [1, 0, 0])
            second.mergePolicy = policy
            same.box = others[2]
            node.box = boxes[1]
            try first.save()
            try second.save()
            let kept = policy == .storeTrump ? 1 : 2
            #expect(same.box === others[kept])
            #expect(others.map(\.nodes.count) == (0..<3).map { $0 == kept ? 1 : 0 })
        }
    }
}
