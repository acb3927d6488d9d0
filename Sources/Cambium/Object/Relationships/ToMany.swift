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

/// The objects that an ordered to-many relationship references, in their order: a live view, whose
/// keys are read from the store when it is first asked.
///
/// The objects may be faults: those of a list that is gone through are read in batches, one that is
/// asked for by its index when it is used. Adding at the end reads nothing, so that appending to a
/// large list is cheap; everything else reads the keys once. An insertion writes the place of the
/// inserted object and not those of the others, and the places are no part of the members' rows:
/// changing the order changes no member's version and conflicts with nobody.
///
/// Where two contexts change one list, both have their way: what the later save added, took out or
/// put somewhere is laid over the list that the earlier one left. An object that was put somewhere
/// comes to stand behind the one that it was put behind (or behind the nearest before it that is
/// still there); additions at the end come after all others.
///
/// ```swift
/// product.tags.append(tag)
/// product.tags.move(from: 3, to: 0)
/// for tag in product.tags { … }
/// ```
///
/// ## Topics
///
/// ### Adding
///
/// - ``append(_:)``
/// - ``append(contentsOf:)``
/// - ``insert(_:at:)``
/// - ``insert(contentsOf:at:)``
///
/// ### Removing
///
/// - ``remove(_:)``
/// - ``remove(at:)``
/// - ``removeAll()``
///
/// ### Reordering
///
/// - ``move(from:to:)``
/// - ``move(fromOffsets:toOffset:)``
/// - ``swapAt(_:_:)``
/// - ``sort(by:)``
///
/// ### Replacing
///
/// - ``replace(with:)``
///
/// ### Searching
///
/// - ``contains(_:)``
/// - ``index(of:)``
public struct OrderedToMany<Destination: ManagedObject> {
    let owner: ManagedObject
    let ordinal: Int

    /// Whether the object is among them. Reads the keys once; takes time in proportion to the list.
    public func contains(_ object: Destination) -> Bool {
        object.state === owner.state && owner.hasContext
            && owner.links(ordinal).contains(object.key)
    }

    /// Where the object stands, or nil. Reads the keys once; takes time in proportion to the list.
    public func index(of object: Destination) -> Int? {
        guard object.state === owner.state else { return nil }
        return owner.ownLinks.members(ordinal).firstIndex { $0.key == object.key }
    }

    /// Where the object stands, or nil. Reads the keys once; takes time in proportion to the list.
    public func firstIndex(of object: Destination) -> Int? {
        index(of: object)
    }

    // MARK: Adding

    /// Adds an object at the end, and the owner to the object's inverse. Reads nothing. An object
    /// that is among them already keeps its place.
    public func append(_ object: Destination) {
        owner.ownLinks.link(ordinal, to: object)
    }

    /// Adds objects at the end.
    public func append(contentsOf objects: some Sequence<Destination>) {
        for object in Array(objects) { append(object) }
    }

    /// Puts an object before the one at the index, or at the end; one that is among them already
    /// moves there.
    ///
    /// - Precondition: The index is from 0 to the count.
    public func insert(_ object: Destination, at index: Int) {
        insert(contentsOf: [object], at: index)
    }

    /// Puts objects before the one at the index, or at the end; those that are among them already
    /// move there.
    ///
    /// - Precondition: The index is from 0 to the count.
    public func insert(contentsOf objects: some Sequence<Destination>, at index: Int) {
        owner.orderedLinks.place(Array(objects), at: index, in: ordinal)
    }

    // MARK: Taking out

    /// Takes an object out, and the owner out of the object's inverse. Reads nothing.
    public func remove(_ object: Destination) {
        owner.ownLinks.unlink(ordinal, from: object)
    }

    /// Takes the object at an index out.
    ///
    /// - Precondition: The index is one of the list's.
    /// - Returns: The object.
    @discardableResult
    public func remove(at index: Int) -> Destination {
        let object = self[index]
        remove(object)
        return object
    }

    /// Takes all objects out.
    public func removeAll() {
        for member in owner.ownLinks.linksToChange(ordinal).members.reversed() {
            if let object = owner.object(for: member) {
                owner.ownLinks.unlink(ordinal, from: object)
            }
        }
    }

    // MARK: Reordering

    /// Moves the object at one index so that it stands at the other.
    ///
    /// - Precondition: Both indexes are the list's.
    public func move(from source: Int, to destination: Int) {
        precondition(indices.contains(destination), "There is no index \(destination) in the list.")
        move(fromOffsets: [source], toOffset: destination > source ? destination + 1 : destination)
    }

    /// Moves the objects at some indexes, in their order, before the one that stands at another
    /// index now (or at the end): what a list on the screen reports when its rows are dragged. The
    /// offsets may be an `IndexSet`.
    ///
    /// - Precondition: The offsets are indexes of the list, the target one of them or the count.
    public func move(fromOffsets offsets: some Sequence<Int>, toOffset target: Int) {
        let members = owner.ownLinks.linksToChange(ordinal).members
        let moved = Set(offsets).sorted().map { offset in
            precondition(
                members.indices.contains(offset), "There is no index \(offset) in the list.")
            return members[offset].key
        }
        owner.orderedLinks.place(moved, before: target, in: ordinal)
    }

    /// Exchanges two objects.
    ///
    /// - Precondition: Both indexes are the list's.
    public func swapAt(_ one: Int, _ other: Int) {
        var keys = owner.ownLinks.linksToChange(ordinal).members.map { $0.key }
        precondition(
            keys.indices.contains(one) && keys.indices.contains(other),
            "There is no index \(one) or no index \(other) in the list.")
        guard one != other else { return }
        keys.swapAt(one, other)
        owner.orderedLinks.arrange([keys[one], keys[other]], in: keys, ordinal)
    }

    /// Puts all objects in the order of a comparison; those that are equal in it stay as they are.
    public func sort(by areInIncreasingOrder: (Destination, Destination) throws -> Bool) rethrows {
        let sorted = try Array(self).sorted(by: areInIncreasingOrder).map { $0.key }
        guard sorted != owner.ownLinks.linksToChange(ordinal).members.map(\.key) else { return }
        owner.orderedLinks.arrange(Set(sorted), in: sorted, ordinal)
    }

    /// Makes exactly these the objects, in this order; of one that comes more than once the first
    /// counts.
    public func replace(with objects: some Sequence<Destination>) {
        var seen: Set<Int64> = []
        let wanted = Array(objects).filter { seen.insert($0.key).inserted }
        for member in owner.ownLinks.linksToChange(ordinal).members where !seen.contains(member.key)
        {
            if let object = owner.object(for: member) {
                owner.ownLinks.unlink(ordinal, from: object)
            }
        }
        for object in wanted where !contains(object) { append(object) }
        let members = owner.links(ordinal).members.map { $0.key }
        let known = Set(members)
        let order = wanted.map { $0.key }.filter(known.contains)
        guard order != members else { return }
        owner.orderedLinks.arrange(Set(order), in: order, ordinal)
    }
}

extension OrderedToMany: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }

    /// How many objects there are. Reads the keys once.
    public var endIndex: Int { owner.ownLinks.members(ordinal).count }

    /// The object at an index; it may be a fault. Reads the keys once.
    ///
    /// - Precondition: The index is one of the list's.
    public subscript(index: Int) -> Destination {
        let members = owner.links(ordinal).members
        precondition(members.indices.contains(index), "There is no index \(index) in the list.")
        return owner.object(for: members[index])?.cast(to: Destination.self)
            ?? owner.invalidObject(of: ordinal)
    }

    /// Goes through the objects as they are when it starts, and reads the rows of faults in
    /// batches.
    public func makeIterator() -> OrderedToManyIterator<Destination> {
        OrderedToManyIterator(owner: owner, members: owner.ownLinks.members(ordinal))
    }
}

/// Goes through the objects of an ordered to-many.
public struct OrderedToManyIterator<Destination: ManagedObject>: IteratorProtocol {
    private static var batchSize: Int { 128 }

    private let owner: ManagedObject
    private let members: [LinkSet.Member]
    private var position = 0
    private var batch: ArraySlice<Destination> = []

    init(owner: ManagedObject, members: [LinkSet.Member]) {
        self.owner = owner
        self.members = members
    }

    /// The next object, or nil at the end.
    public mutating func next() -> Destination? {
        while batch.isEmpty {
            guard position < members.count else { return nil }
            let end = min(position + Self.batchSize, members.count)
            let objects = members[position..<end].compactMap { owner.object(for: $0) }
            position = end
            let faults = objects.filter { $0.isFault && $0.lifecycle == .clean }
            // What cannot be read stays a fault, and says so when it is used.
            if faults.count > 1 { try? owner.state.context?.faulting.load(faults) }
            batch = objects.compactMap { $0.cast(to: Destination.self) }[...]
        }
        return batch.popFirst()
    }
}
