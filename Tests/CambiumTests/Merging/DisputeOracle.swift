/// What the written rules of conflicts say, on values: no contexts, no versions, no store.
enum DisputeOracle {
    /// What a side does to the thing that both know.
    enum Deed: String, CaseIterable {
        case update, delete, insert, relationship
    }

    enum Side: String {
        case theirs, ours
    }

    enum Policy: String, CaseIterable {
        case error, rollback, overwrite, storeTrump, objectTrump

        var keepsOurs: Bool { self == .overwrite || self == .objectTrump }
    }

    struct Thing: Equatable {
        var both = "base"
        var first = "base"
        var second = "base"
        var shelf = "base"
        var labels: Set<String> = ["base"]
    }

    /// The thing that was there, if it still is, and the things with the code that both insert.
    struct State: Equatable {
        var thing: Thing? = Thing()
        var inserted: [Thing] = []
    }

    /// What one side's deed comes to if the other does nothing.
    static func state(after deed: Deed, of side: Side) -> State {
        var state = State()
        let name = side.rawValue
        switch deed {
        case .update:
            state.thing?.both = name
            if side == .theirs { state.thing?.first = name } else { state.thing?.second = name }
        case .delete:
            state.thing = nil
        case .insert:
            state.inserted = [
                Thing(
                    both: name, first: side == .theirs ? name : "",
                    second: side == .ours ? name : "", shelf: name, labels: [name])
            ]
        case .relationship:
            state.thing?.shelf = name
            state.thing?.labels = [name]
        }
        return state
    }

    /// What is in the store when first theirs was saved and then ours; nil where the rules make our
    /// save fail.
    static func outcome(theirs: Deed, ours: Deed, policy: Policy) -> State? {
        let (their, our) = (state(after: theirs, of: .theirs), state(after: ours, of: .ours))
        var outcome = State()
        let (theyTouch, weTouch) = (theirs != .insert, ours != .insert)
        switch (theyTouch, weTouch) {
        case (false, false): break
        case (true, false): outcome.thing = their.thing
        case (false, true): outcome.thing = our.thing
        case (true, true):
            // What both deleted is gone, and nobody minds.
            if their.thing == nil, our.thing == nil {
                outcome.thing = nil
            } else if policy == .error {
                return nil
            } else {
                outcome.thing = merge(their.thing, our.thing, policy)
            }
        }
        switch (their.inserted.first, our.inserted.first) {
        case (let theirs?, let ours?):
            if policy == .error { return nil }
            outcome.inserted = [unite(theirs, ours, policy)]
        case (let one, let other):
            outcome.inserted = [one, other].compactMap(\.self)
        }
        return outcome
    }

    private static func merge(_ theirs: Thing?, _ ours: Thing?, _ policy: Policy) -> Thing? {
        // Of a deletion against a change the policy's side stays whole.
        guard let theirs, let ours else { return policy.keepsOurs ? ours : theirs }
        switch policy {
        case .rollback, .error: return theirs
        case .overwrite: return ours
        case .storeTrump, .objectTrump: break
        }
        let base = Thing()
        func property<Value: Equatable>(_ path: KeyPath<Thing, Value>) -> Value {
            let (mine, other, old) = (
                ours[keyPath: path], theirs[keyPath: path], base[keyPath: path]
            )
            if mine == old { return other }
            if other == old { return mine }
            return policy == .storeTrump ? other : mine
        }
        let removed = base.labels.subtracting(ours.labels).union(
            base.labels.subtracting(theirs.labels))
        return Thing(
            both: property(\.both), first: property(\.first), second: property(\.second),
            shelf: property(\.shelf),
            labels: ours.labels.union(theirs.labels).subtracting(removed))
    }

    /// One thing out of two with the same code: theirs is in the store.
    private static func unite(_ theirs: Thing, _ ours: Thing, _ policy: Policy) -> Thing {
        var thing = theirs
        switch policy {
        case .error, .rollback:
            return theirs
        case .storeTrump:
            break
        case .objectTrump:
            // What we never set stays.
            (thing.both, thing.second, thing.shelf) = (ours.both, ours.second, ours.shelf)
        case .overwrite:
            thing = ours
        }
        // Its relationships move over.
        thing.labels = theirs.labels.union(ours.labels)
        return thing
    }
}
