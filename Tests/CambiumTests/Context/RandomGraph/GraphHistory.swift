import Cambium

/// What an undo manager can lead back to: the states between events, and which of them is shown.
struct GraphHistory {
    private(set) var states: [World]
    private(set) var position = 0

    init(_ world: World = World()) {
        states = [world]
    }

    var present: World { states[position] }
    var former: World? { position > 0 ? states[position - 1] : nil }
    var later: World? { states.indices.contains(position + 1) ? states[position + 1] : nil }

    /// An event led to a state, and nothing can be done again any more.
    mutating func note(_ state: World) {
        states.removeSubrange((position + 1)...)
        guard state != present else { return }
        states.append(state)
        position += 1
    }

    mutating func move(by step: Int) { position += step }

    /// Another context deleted objects: no state has them any more. States that are the same then
    /// are one, as a group without effect is passed over.
    mutating func delete(_ ids: [ObjectID]) {
        var kept: [World] = []
        var place = 0
        for (index, var state) in states.enumerated() {
            for id in ids { state.delete(id) }
            if state != kept.last { kept.append(state) }
            if index == position { place = kept.count - 1 }
        }
        (states, position) = (kept, place)
    }
}

extension GraphWork {
    /// Ends an event: what changed in it is one group.
    mutating func endEvent() throws {
        context.processPendingChanges()
        try noteEvent()
    }

    /// Notes an event that is over.
    mutating func noteEvent() throws {
        guard let manager = context.undoManager else { return }
        // Then nothing was remembered. (Whether an event without effect can be undone is not seen
        // from outside.)
        if manager.canRedo {
            if world != history.present { try fail("a change left what could be done again") }
            return
        }
        history.note(world)
    }

    mutating func undo() throws {
        guard context.undoManager != nil else { return }
        // What the present event has changed is taken back by itself.
        if world != history.present, generator.chance(0.5) {
            history.note(world)
        } else {
            try endEvent()
        }
        guard let former = history.former else { return }
        log.append("undo")
        try move(to: former) { $0.undo() }
        history.move(by: -1)
    }

    mutating func redo() throws {
        guard context.undoManager != nil else { return }
        try endEvent()
        guard let later = history.later else { return }
        log.append("redo")
        try move(to: later) { $0.redo() }
        history.move(by: 1)
    }

    private mutating func move(to state: World, _ step: (ManagedObjectContext) -> Void) throws {
        // An event whose changes cancel each other out is a group without effect.
        for _ in 0..<50 {
            step(context)
            if try World(of: context) != world { break }
        }
        world = state
        try check(context, against: world, "the context")
    }
}
