import Cambium
import Testing

/// Random work with links in a context, its child and a sibling.
struct LinkWork {
    /// What an object shows.
    private struct View: Equatable {
        var name: String
        var ends: [String: [ObjectID]]
    }

    private let container: PersistentContainer
    private let main: ManagedObjectContext
    private let child: ManagedObjectContext
    private let sibling: ManagedObjectContext
    private let seed: UInt64
    private let refuses: Bool
    private var generator: SeededGenerator
    private var log: [String] = []
    /// Stays in memory, so that it must follow.
    private var held: Set<ManagedObject> = []
    /// The objects of which observers were told.
    private let told = Told()
    private let token: ObservationToken
    private var views: [ObjectID: View] = [:]
    /// Whether the sibling has changed what the context has changed, too, or the other way round.
    private var isContested = false
    /// The same of the child, and those above.
    private var isContestedAbove = false
    /// What the sibling has changed while the child takes over nothing by itself: whatever the child
    /// sets there later is contested, too.
    private var unseenByChild: Set<ObjectID> = []
    /// Whether the context may not have merged what the sibling saved: an undo may contradict it.
    private var isUnseen = false

    init(_ container: PersistentContainer, _ policy: MergePolicy, seed: UInt64) {
        self.container = container
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        refuses = policy == .error
        main = container.newContext()
        main.mergePolicy = policy
        main.automaticallyMergesChangesFromParent = true
        main.onInaccessibleFault = { _, _ in }
        if generator.chance(0.5) { main.undoManager = ContextUndoManager() }
        child = main.newChildContext()
        child.automaticallyMergesChangesFromParent = generator.chance(0.7)
        child.onInaccessibleFault = { _, _ in }
        sibling = container.newContext()
        sibling.automaticallyMergesChangesFromParent = true
        let told = told
        token = main.observe(.objectsDidChange) { changes in
            let all = [changes.inserted, changes.updated, changes.refreshed, changes.deleted]
            told.ids.formUnion(all.joined().map(\.objectID))
        }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<3 { try insert(in: main) }
        for _ in 0..<steps {
            try step()
            try checkBooks()
        }
        settle()
        try save(main)
        main.mergePending()
        let expected = try shown(by: container.newContext())
        try compare(try shown(by: main), expected, "the context")
        sibling.mergePending()
        try compare(try shown(by: sibling), expected, "the sibling")
        child.rollback()
        child.mergePending()
        try compare(try shown(by: child), expected, "the child")
    }

    // MARK: Steps

    private mutating func step() throws {
        switch Int.random(in: 0..<40, using: &generator) {
        case 0..<3: try insert(in: main)
        case 3..<11: try link(in: main, "")
        case 11..<13: try set(in: main, "")
        case 13..<14: try delete(in: main, "")
        case 14..<17: try save(main)
        case 17..<19: try undo()
        case 19..<21: try refresh()
        case 21..<22: rollBack()
        case 22..<24: try link(in: child, "child: ")
        case 24..<25: try set(in: child, "child: ")
        case 25..<26: try delete(in: child, "child: ")
        case 26..<28: try saveChild()
        case 28..<34: try workInSibling()
        case 34..<36: try link(in: sibling, "sibling, for itself: ", isUndone: true)
        case 36..<38: try look()
        default:
            log.append("process")
            main.processPendingChanges()
        }
    }

    private mutating func insert(in context: ManagedObjectContext) throws {
        for entity in ["Item", "Target"] {
            let object = try context.insertObject(ofEntity: entity)
            held.insert(object)
            log.append("insert \(object.objectID)")
        }
    }

    private mutating func link(
        in context: ManagedObjectContext, _ who: String, isUndone: Bool = false
    ) throws {
        guard let object = try pick(from: context) else { return }
        let entity = object.entity.name
        if generator.chance(0.5), let name = Links.toOnes[entity]?.randomElement(using: &generator)
        {
            let other = try pick(from: context, destination(of: name, entity))
            let target = generator.chance(0.8) ? other : nil
            log.append(
                "\(who)\(object.objectID).\(name) = \(target.map { "\($0.objectID)" } ?? "nil")")
            object[one: name] = target
            noteUnseen(object, in: context)
        } else if let name = Links.toManys[entity]?.randomElement(using: &generator),
            let other = try pick(from: context, destination(of: name, entity))
        {
            let members = try object.many(name)
            let isRemoval = generator.chance(0.3)
            log.append(
                "\(who)\(object.objectID).\(name) \(isRemoval ? "-" : "+") \(other.objectID)")
            if isRemoval { members.remove(other) } else { members.insert(other) }
            noteUnseen(object, in: context)
        }
        if isUndone { context.rollback() }
    }

    private mutating func set(in context: ManagedObjectContext, _ who: String) throws {
        guard let object = try pick(from: context) else { return }
        log.append("\(who)\(object.objectID).name = …")
        object["name"] = "\(log.count)"
        noteUnseen(object, in: context)
    }

    private mutating func noteUnseen(_ object: ManagedObject, in context: ManagedObjectContext) {
        if context === child, unseenByChild.contains(object.objectID) { isContestedAbove = true }
    }

    private mutating func delete(in context: ManagedObjectContext, _ who: String) throws {
        guard let object = try pick(from: context) else { return }
        log.append("\(who)delete \(object.objectID)")
        noteUnseen(object, in: context)
        context.delete(object)
        if generator.chance(0.5) { context.processPendingChanges() }
    }

    private mutating func undo() throws {
        guard main.undoManager != nil else { return }
        if isUnseen { isContested = true }
        let isRedo = generator.chance(0.4)
        log.append(isRedo ? "redo" : "undo")
        if isRedo { main.redo() } else { main.undo() }
    }

    private mutating func refresh() throws {
        if generator.chance(0.2) {
            log.append("refresh all")
            return main.refreshAllObjects()
        }
        guard let object = try pick(from: main) else { return }
        let mergesChanges = generator.chance(0.4)
        log.append("refresh \(object.objectID), merging \(mergesChanges)")
        main.refresh(object, mergeChanges: mergesChanges)
    }

    private mutating func rollBack() {
        log.append("rollback")
        main.rollback()
        isContested = false
    }

    // MARK: Saving

    /// Takes back what is contested, so that the rest can be saved.
    private mutating func settle() {
        guard refuses else { return }
        log.append("take back what is contested")
        main.rollback()
        main.mergePending()
        isContested = false
    }

    private mutating func save(_ context: ManagedObjectContext) throws {
        log.append("save")
        do {
            try main.save()
            isContested = false
        } catch {
            guard refuses, isContested else { try fail("the save threw \(error)") }
            settle()
        }
    }

    private mutating func saveChild() throws {
        log.append("child: save")
        do {
            try child.save()
            // What the child had not seen is a conflict of its parent's now.
            isContested = isContested || isContestedAbove
            isContestedAbove = false
        } catch {
            // What is changed in what is gone, and links that nobody clears, are refused.
            let isLone = child.updatedObjects.contains { object in
                object.changedValues().keys.contains { $0 == "lone" || $0 == "lones" }
            }
            guard isContestedAbove || isLone || !changedAndLost.isEmpty else {
                try fail("the child's save threw \(error)")
            }
            log.append("child: rollback")
            child.rollback()
            isContestedAbove = false
        }
    }

    /// The objects that the child has changed and the context does not have any more.
    private var changedAndLost: [ManagedObject] {
        child.updatedObjects.filter { object in
            let above = try? main.existingObject(with: object.objectID)
            return isOwnChange(object) && above?.isDeleted != false
        }
    }

    /// - Parameter orPartner: Whether that one of a one-to-one counts, which goes with a deleted row.
    private func isOwnChange(_ object: ManagedObject, orPartner: Bool = false) -> Bool {
        var own = Links.own[object.entity.name] ?? []
        if orPartner { own.formUnion(["partner", "next", "previous"]) }
        return object.isDeleted || !own.isDisjoint(with: object.changedValues().keys)
    }

    private mutating func workInSibling() throws {
        sibling.mergePending()
        // What the context has not seen yet is merged first: whoever sees the newest is in the way of
        // nobody.
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            if generator.chance(0.7) {
                try delete(in: sibling, "sibling: ")
            } else {
                try set(in: sibling, "sibling: ")
            }
        }
        sibling.processPendingChanges()
        let changed = Set(sibling.updatedObjects.map(\.objectID))
        let gone = Set(sibling.deletedObjects.map(\.objectID))
        guard !changed.isEmpty || !gone.isEmpty else { return }
        main.processPendingChanges()
        for (context, isAbove) in [(main, false), (child, true)] {
            let mine = context.updatedObjects.union(context.deletedObjects)
            let isMet =
                mine.contains { isOwnChange($0) && gone.contains($0.objectID) }
                || mine.contains {
                    isOwnChange($0, orPartner: true) && changed.contains($0.objectID)
                }
                || context.insertedObjects.union(mine).contains { leads($0, to: gone) }
            if isMet, isAbove { isContestedAbove = true }
            if isMet { isContested = true }
        }
        if !child.automaticallyMergesChangesFromParent { unseenByChild.formUnion(changed) }
        log.append("the sibling saves")
        try sibling.save()
        isUnseen = generator.chance(0.5)
        if isUnseen { return }
        log.append("merge")
        main.mergePending()
    }

    /// Whether links that nobody clears lead from an object to one of these.
    private func leads(_ object: ManagedObject, to ids: Set<ObjectID>) -> Bool {
        guard object.entity.name == "Item" else { return false }
        let lones = (try? object.many("lones").map(\.objectID)) ?? []
        return !ids.isDisjoint(with: lones)
            || object[one: "lone"].map { ids.contains($0.objectID) } ?? false
    }

    // MARK: Looking

    private mutating func look() throws {
        log.append("look")
        main.mergePending()
        main.processPendingChanges()
        held.formUnion(main.registeredObjects)
        held.formUnion(child.registeredObjects)
        let now = try shown(by: main)
        let named = told.ids
        told.ids = []
        for (id, view) in now {
            guard var former = views[id] else { continue }
            for name in ["lone", "lones"] { former.ends[name]?.removeAll { now[$0] == nil } }
            if former != view, !named.contains(id) {
                try fail("\(id) shows \(view), and showed \(former): nobody was told")
            }
        }
        views = now
    }

    private func shown(by context: ManagedObjectContext) throws -> [ObjectID: View] {
        var views: [ObjectID: View] = [:]
        for object in try ["Item", "Target"].flatMap(context.all) {
            let entity = object.entity.name
            var ends: [String: [ObjectID]] = [:]
            for name in Links.toOnes[entity] ?? [] {
                ends[name] = object[one: name].map { [$0.objectID] } ?? []
            }
            for name in Links.toManys[entity] ?? [] {
                let ids = try object.many(name).map(\.objectID)
                ends[name] =
                    name == "places" && entity == "Item" ? ids : ids.sorted { $0.key < $1.key }
            }
            views[object.objectID] = View(name: object["name"], ends: ends)
        }
        for (id, view) in views {
            for (name, ids) in view.ends {
                let lost = ids.filter { views[$0] == nil }
                if lost.isEmpty { continue }
                // About these the save decides.
                let isUndecided = name == "lone" || name == "lones"
                guard isUndecided, context.object(with: id).hasChanges else {
                    try fail("\(id).\(name) leads to \(lost), which is not there")
                }
                views[id]?.ends[name]?.removeAll(where: lost.contains)
            }
        }
        return views
    }

    private func compare(
        _ shown: [ObjectID: View], _ expected: [ObjectID: View], _ who: String
    ) throws {
        for id in Set(shown.keys).union(expected.keys) where shown[id] != expected[id] {
            try fail(
                "\(who) shows \(id) as \(shown[id].map { "\($0)" } ?? "missing"), should be "
                    + (expected[id].map { "\($0)" } ?? "missing"))
        }
    }

    private func checkBooks() throws {
        let faults =
            main.invariantFaults(isMerged: false) + child.invariantFaults(isMerged: false)
            + sibling.invariantFaults(isMerged: false)
        if !faults.isEmpty { try fail(faults.joined(separator: "\n")) }
    }

    private func destination(of name: String, _ entity: String) -> String {
        name == "next" || name == "previous" ? "Target" : entity == "Item" ? "Target" : "Item"
    }

    private mutating func pick(
        from context: ManagedObjectContext, _ entity: String? = nil
    ) throws -> ManagedObject? {
        let entity = entity ?? (generator.chance(0.5) ? "Item" : "Target")
        if context === main { isUnseen = false }
        return try context.all(entity).sorted { $0.objectID.key < $1.objectID.key }
            .randomElement(using: &generator)
    }

    private func fail(_ message: String) throws -> Never {
        throw LinkFailure(
            description: "\(message)\nThe steps of \(seed):\n" + log.joined(separator: "\n"))
    }
}

private final class Told {
    var ids: Set<ObjectID> = []
}

struct LinkFailure: Error, CustomStringConvertible {
    let description: String
}
