import Cambium
import CambiumEngine

/// Random work of a program with two contexts and a child of the first one, which get in each other's
/// way. What the program sees is written down. Where every engine answers the same, the same seed does
/// the same on each of them.
final class SequenceWork {
    let container: PersistentContainer
    var generator: SeededGenerator
    let transcript: Transcript
    /// Whether there are values that a store keeps outside of its rows.
    let usesLargeValues: Bool
    /// Two that read the store, and a child of the first.
    private(set) var contexts: [ManagedObjectContext] = []
    private var observations: [ObservationToken] = []
    var historyToken: HistoryToken?

    init(
        _ container: PersistentContainer, seed: UInt64, usesLargeValues: Bool,
        _ transcript: Transcript
    ) {
        self.usesLargeValues = usesLargeValues
        self.container = container
        self.transcript = transcript
        generator = SeededGenerator(seed: seed)
        historyToken = try? container.historyToken
        let first = container.newContext()
        contexts = [first, container.newContext(), first.newChildContext()]
        for (index, context) in contexts.enumerated() {
            context.name = "context \(index)"
            // What is in memory is then no matter of when the context looks for what nobody holds.
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = generator.chance(0.5)
            if generator.chance(0.6) { context.undoManager = ContextUndoManager() }
            context.onInaccessibleFault = { id, _ in transcript.add("\(index) misses \(id)") }
            observe(context, index)
        }
    }

    /// Notes every notification, and what each save says that it has changed.
    private func observe(_ context: ManagedObjectContext, _ index: Int) {
        let transcript = transcript
        func note(_ name: String, _ ids: ChangedObjectIDs) {
            var line = "\(index) \(name):"
            for (kind, ids) in [
                ("inserted", ids.inserted), ("updated", ids.updated), ("deleted", ids.deleted),
                ("refreshed", ids.refreshed), ("invalidated", ids.invalidated),
            ] where !ids.isEmpty {
                line += " \(kind) \(Transcript.words(ids))"
            }
            transcript.add(ids.invalidatedAll ? line + " all invalidated" : line)
        }
        observations =
            observations + [
                context.observe(.objectIDsDidChange) { note("did change", $0) },
                context.observe(.didSaveObjectIDs) { note("did save", $0) },
                context.observe(.didMergeChangesObjectIDs) { note("did merge", $0) },
                context.observe(.didSave) { saved in
                    for changes in saved.changeSets {
                        transcript.add(
                            "\(index) change set: inserted \(Transcript.words(changes.insertedObjectIDs)) "
                                + "updated \(Transcript.words(changes.updatedObjectIDs)) refreshed "
                                + "\(Transcript.words(changes.refreshedObjectIDs)) deleted "
                                + Transcript.words(changes.deletedObjectIDs))
                    }
                },
            ]
    }

    func run(steps: Int) {
        for _ in 0..<10 { insert(0) }
        for _ in 0..<10 { generator.chance(0.7) ? link(0) : reorder(0) }
        save(0, .objectTrump)
        for _ in 0..<steps { step(Int.random(in: 0..<contexts.count, using: &generator)) }
        // What is left is saved where it can be, from the child up.
        for index in [2, 0, 1] {
            save(index, .objectTrump)
            contexts[index].rollback()
        }
        for (index, context) in contexts.enumerated() {
            attempt("\(index) at the end") {
                context.mergePending()
                lookAtAll(context)
                return ""
            }
        }
    }

    private func step(_ index: Int) {
        let context = contexts[index]
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<14: insert(index)
        case 14..<26: setValue(index)
        case 26..<38: link(index)
        case 38..<46: reorder(index)
        case 46..<52: delete(index)
        case 52..<64: save(index, anyPolicy())
        case 64..<67: undo(index)
        case 67..<69: redo(index)
        case 69..<73: refresh(index)
        case 73..<75:
            attempt("\(index) rollback") {
                context.rollback()
                return ""
            }
        case 75..<80: batch(index)
        case 80..<86: find(index)
        case 86..<90: look(index)
        case 90..<93:
            attempt("\(index) merge") {
                context.mergePending()
                return ""
            }
        case 93..<95: guardObject(index)
        default:
            attempt("\(index) process") {
                context.processPendingChanges()
                return ""
            }
        }
    }

    /// Does something, and writes down what came of it.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    func attempt(_ what: String, _ body: () throws -> String) -> Bool {
        transcript.add("> \(what)")
        do {
            let result = try body()
            if !result.isEmpty { transcript.add("= \(result)") }
            return true
        } catch {
            transcript.add("! \(type(of: error)): \(Transcript.words(error))")
            return false
        }
    }

    /// One of the objects that a context finds.
    func pick(_ index: Int, _ entity: String) -> ManagedObject? {
        do {
            return try contexts[index].all(entity).randomElement(using: &generator)
        } catch {
            transcript.add("! \(Transcript.words(error))")
            return nil
        }
    }

    static let entities = ["Thing", "Gadget", "Shelf", "Room", "Label", "Piece"]

    func anyEntity() -> String {
        generator.chance(0.4)
            ? "Thing" : Self.entities.randomElement(using: &generator) ?? "Thing"
    }
}
