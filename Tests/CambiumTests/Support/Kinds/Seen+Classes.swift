@testable import Cambium
import EverythingModel

// So that a test says the same words to a class and to what stands for it: in a file with
//
//     private typealias Node = Seen<EverythingModel.Node>
//
// `Node(in: context, label: "a")` and `Node.label` are of whatever kind the test is called for.

extension Seen {
    /// Inserts an object, without values.
    init(in context: ManagedObjectContext) {
        do {
            self.init(try context.insertObject(ofEntity: Class.entityName))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    static func fetchRequest() -> FetchRequest<Class> { FetchRequest() }

    static subscript<Value>(
        dynamicMember path: KeyPath<Class.Type, Key<Class, Value>>
    ) -> Key<Class, Value> {
        Class.self[keyPath: path]
    }
}

extension Seen where Class == Node {
    init(
        in context: ManagedObjectContext, label: String? = nil, number: Int64? = nil,
        box: Seen<Box>? = nil
    ) {
        self.init(in: context)
        if let label { self.label = label }
        if let number { self.number = number }
        if let box { self.box = box }
    }
}

extension Seen where Class == Box {
    init(in context: ManagedObjectContext, name: String) {
        self.init(in: context)
        self.name = name
    }
}

extension Seen where Class == Topic {
    init(in context: ManagedObjectContext, name: String) {
        self.init(in: context)
        self.name = name
    }
}

extension Seen where Class == Part {
    init(in context: ManagedObjectContext, node: Seen<Node>?) {
        self.init(in: context)
        self.node = node
    }
}

extension Seen where Class == Home {
    init(in context: ManagedObjectContext, owner: Seen<Robot>) {
        self.init(in: context)
        self.owner = Seen<Being>(owner.object)
    }
}

extension Seen where Class == Robot {
    init(
        in context: ManagedObjectContext, name: String, serial: String, home: Seen<Home>? = nil
    ) {
        self.init(in: context)
        (self.name, self.serial) = (name, serial)
        if let home { self.home = home }
    }
}

extension Seen where Class == Person {
    init(
        in context: ManagedObjectContext, name: String, age: Int16? = nil, home: Seen<Home>? = nil
    ) {
        self.init(in: context)
        self.name = name
        if let age { self.age = age }
        if let home { self.home = home }
    }
}

extension Seen where Class == Passport {
    init(in context: ManagedObjectContext, number: String, holder: Seen<Person>?) {
        self.init(in: context)
        (self.number, self.holder) = (number, holder)
    }
}

extension ManagedObjectContext {
    /// The object of an id, as one of a class's entity.
    func get<Class: EntityKeys>(
        _ id: ObjectID, as type: Seen<Class>.Type = Seen<Class>.self
    ) throws -> Seen<Class> {
        Seen(object(with: id))
    }

    func refresh<Class>(_ object: Seen<Class>, mergeChanges: Bool) {
        refresh(object.object, mergeChanges: mergeChanges)
    }
}
