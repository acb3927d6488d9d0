import Cambium

/// A ``Seen`` of any class.
protocol SeenObject {
    var object: ManagedObject { get }
}

extension Seen: SeenObject {}

// What the classes' own tests compare.

func === (one: (any SeenObject)?, other: (any SeenObject)?) -> Bool {
    one?.object === other?.object
}

func === (one: ManagedObject?, other: (any SeenObject)?) -> Bool {
    one === other?.object
}

func == (one: Set<ManagedObject>, other: [any SeenObject]) -> Bool {
    one == Set(other.map(\.object))
}

func == (one: [ManagedObject], other: [any SeenObject]) -> Bool {
    one == other.map(\.object)
}

extension ToMany where Destination == ManagedObject {
    func contains(_ object: any SeenObject) -> Bool { contains(object.object) }

    func insert(contentsOf objects: [any SeenObject]) { insert(contentsOf: objects.map(\.object)) }
}

extension OrderedToMany where Destination == ManagedObject {
    func append(_ object: any SeenObject) { append(object.object) }
}

extension Set<ManagedObject> {
    func contains(_ object: any SeenObject) -> Bool { contains(object.object) }
}
