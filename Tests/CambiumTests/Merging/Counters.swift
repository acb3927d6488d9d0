import Cambium
import Testing

/// Counters of 10, in plain objects.
enum Counters {
    static let model = CompiledModel(
        Model(
            name: "Counters", version: "1",
            entities: [
                Entity(
                    name: "Counter",
                    attributes: [
                        number("count"), number("other"), number("total", merge: .sum),
                    ])
            ]))

    private static func number(_ name: String, merge: MergeRule? = nil) -> Attribute {
        Attribute(
            name: name, type: .int64, defaultValue: .constant(.int(10)), merge: merge)
    }
}

/// Who changes a counter beside the context of a test.
struct OtherCounter {
    let context: ManagedObjectContext
    let counter: ManagedObject

    init(in container: PersistentContainer) throws {
        context = container.newContext()
        counter = try context.insertObject(ofEntity: "Counter")
        try context.save()
    }

    func save(_ name: String, _ value: Int64) throws {
        counter[number: name] = value
        try context.save()
    }

    func delete() throws {
        context.delete(counter)
        try context.save()
    }
}

/// Runs a body with a counter in a context that merges by itself, and another one.
func withCounter(
    _ policy: MergePolicy = .error,
    _ body: (ManagedObjectContext, ManagedObject, OtherCounter) throws -> Void
) throws {
    try withContainer(Counters.model, on: .current) { container in
        let others = try OtherCounter(in: container)
        let context = container.newContext()
        context.automaticallyMergesChangesFromParent = true
        context.mergePolicy = policy
        let counter = try context.existingObject(with: others.counter.objectID)
        try body(context, counter, others)
    }
}

extension ManagedObjectContext {
    /// Makes the context take over what others have saved, in the middle of an event.
    func countCounters() throws -> Int {
        try count(for: FetchRequest<ManagedObject>(entityName: "Counter"))
    }
}

extension ManagedObject {
    /// A number by its name.
    subscript(number name: String) -> Int64 {
        get {
            guard case .int(let number)? = try? value(forKey: name) else { return -1 }
            return number
        }
        set { _ = try? setValue(.int(newValue), forKey: name) }
    }
}
