import CambiumRecords

/// The objects that a to-many relationship references: a live view, read from the store when it is
/// first asked.
///
/// Adding does not read what is there already, so appending to a large relationship is cheap. The
/// objects come in the order of their keys; they may be faults.
///
/// ```swift
/// category.products.insert(product)
/// for product in category.products where product.stock == 0 { … }
/// ```
public struct ToMany<Destination: ManagedObject> {
    let owner: ManagedObject
    let ordinal: Int

    /// How many objects there are. Reads the relationship once.
    public var count: Int { owner.ownLinks.members(ordinal).count }

    /// Whether there is none. Reads the relationship once.
    public var isEmpty: Bool { owner.ownLinks.members(ordinal).isEmpty }

    /// The object with the least key, the one that a loop begins with; nil where there is none. It
    /// may be a fault. Reads the relationship once.
    public var first: Destination? { first { _ in true } }

    /// Whether the object is among them. Reads the relationship once.
    public func contains(_ object: Destination) -> Bool {
        owner.hasContext && owner.links(ordinal).contains(object.orReplacement.key)
    }

    /// Adds an object, and the owner to the object's inverse. Reads nothing.
    public func insert(_ object: Destination) {
        owner.ownLinks.link(ordinal, to: object)
    }

    /// Adds objects.
    public func insert(contentsOf objects: some Sequence<Destination>) {
        for object in objects { insert(object) }
    }

    /// Takes an object out, and the owner out of the object's inverse. Reads nothing.
    public func remove(_ object: Destination) {
        owner.ownLinks.unlink(ordinal, from: object)
    }

    /// Takes all objects out.
    public func removeAll() {
        _ = owner.ownLinks.linksToChange(ordinal)
        for object in self { remove(object) }
    }

    /// Makes exactly these the members.
    public func replace(with objects: some Sequence<Destination>) {
        let wanted = Set(objects)
        _ = owner.ownLinks.linksToChange(ordinal)
        for object in self where !wanted.contains(object) { remove(object) }
        for object in wanted where !contains(object) { insert(object) }
    }
}

extension ToMany: Sequence {
    /// Goes through the members as they are when it starts.
    public func makeIterator() -> Iterator {
        let root = owner.entityDescription.relationships[ordinal].destinationRoot
        return Iterator(
            members: owner.ownLinks.members(ordinal), context: owner.state.context, root: root)
    }

    /// How many members there are.
    public var underestimatedCount: Int { count }

    /// Goes through the members of a to-many relationship.
    public struct Iterator: IteratorProtocol {
        private var members: IndexingIterator<[LinkSet.Member]>
        private let context: ManagedObjectContext?
        /// The objects of the members' hierarchy.
        private let objects: RootObjects?

        init(members: [LinkSet.Member], context: ManagedObjectContext?, root: Int) {
            self.members = members.makeIterator()
            self.context = context
            objects = context?.registry.roots[root]
        }

        /// The next member; nil after the last.
        public mutating func next() -> Destination? {
            while let context, let member = members.next() {
                let object = objects?.map[member.key] ?? context.registry.object(member)
                if let destination = object.cast(to: Destination.self) { return destination }
            }
            return nil
        }
    }
}

// An object that may be missing has members that may be missing:
// `for product in product.category?.products ?? [] { … }`. A view belongs to an object, so that the
// array beside it makes an array of both.

/// The objects of a relationship as an array, or an array in place of a missing view.
public func ?? <Destination>(
    view: ToMany<Destination>?, other: @autoclosure () throws -> [Destination]
) rethrows -> [Destination] {
    try view.map(Array.init) ?? other()
}

/// The objects of an ordered relationship as an array, or an array in place of a missing view.
public func ?? <Destination>(
    view: OrderedToMany<Destination>?, other: @autoclosure () throws -> [Destination]
) rethrows -> [Destination] {
    try view.map(Array.init) ?? other()
}
