import CambiumRecords

/// The objects that a to-many relationship references: a live view. It reads the relationship at
/// the first access.
///
/// An insertion does not read the existing members, so adding to a large relationship is cheap. The
/// objects are in the order of their keys; they may be faults.
///
/// ```swift
/// category.products.insert(product)
/// for product in category.products where product.stock == 0 { … }
/// ```
///
/// ## Topics
///
/// ### Reading
///
/// - ``count``
/// - ``isEmpty``
/// - ``first``
/// - ``contains(_:)``
///
/// ### Changing
///
/// - ``insert(_:)``
/// - ``insert(contentsOf:)``
/// - ``remove(_:)``
/// - ``removeAll()``
/// - ``replace(with:)``
public struct ToMany<Destination: ManagedObject> {
    let owner: ManagedObject
    let ordinal: Int

    /// The number of objects. Reads the relationship once.
    public var count: Int { owner.ownLinks.members(ordinal).count }

    /// Whether there are no objects. Reads the relationship once.
    public var isEmpty: Bool { owner.ownLinks.members(ordinal).isEmpty }

    /// The object with the least key, the first one of a loop, or nil if there is none. It may be a
    /// fault. Reads the relationship once.
    public var first: Destination? { first { _ in true } }

    /// Returns whether the object is a member. Reads the relationship once.
    public func contains(_ object: Destination) -> Bool {
        owner.hasContext && owner.links(ordinal).contains(object.orReplacement.key)
    }

    /// Adds an object, and the owner to the object's inverse. Reads nothing from the store.
    public func insert(_ object: Destination) {
        owner.ownLinks.link(ordinal, to: object)
    }

    /// Adds objects.
    public func insert(contentsOf objects: some Sequence<Destination>) {
        for object in objects { insert(object) }
    }

    /// Removes an object, and the owner from the object's inverse. Reads nothing from the store.
    public func remove(_ object: Destination) {
        owner.ownLinks.unlink(ordinal, from: object)
    }

    /// Removes all objects.
    public func removeAll() {
        _ = owner.ownLinks.linksToChange(ordinal)
        for object in self { remove(object) }
    }

    /// Replaces the members with these objects.
    public func replace(with objects: some Sequence<Destination>) {
        let wanted = Set(objects)
        _ = owner.ownLinks.linksToChange(ordinal)
        for object in self where !wanted.contains(object) { remove(object) }
        for object in wanted where !contains(object) { insert(object) }
    }
}

extension ToMany: Sequence {
    /// Returns an iterator over the current members.
    public func makeIterator() -> Iterator {
        let root = owner.entityDescription.relationships[ordinal].destinationRoot
        return Iterator(
            members: owner.ownLinks.members(ordinal), context: owner.state.context, root: root)
    }

    /// The number of members.
    public var underestimatedCount: Int { count }

    /// An iterator over the members of a to-many relationship.
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

        /// Returns the next member, or nil after the last.
        public mutating func next() -> Destination? {
            while let context, let member = members.next() {
                let object = objects?.map[member.key] ?? context.registry.object(member)
                if let destination = object.cast(to: Destination.self) { return destination }
            }
            return nil
        }
    }
}

// If an object is optional, its members are optional too: `for product in
// product.category?.products ?? [] { … }`. A view belongs to an object, so the operator converts it
// to an array.

/// Returns the objects of a relationship as an array, or the other array if the view is nil.
public func ?? <Destination>(
    view: ToMany<Destination>?, other: @autoclosure () throws -> [Destination]
) rethrows -> [Destination] {
    try view.map(Array.init) ?? other()
}

/// Returns the objects of an ordered relationship as an array, or the other array if the view is
/// nil.
public func ?? <Destination>(
    view: OrderedToMany<Destination>?, other: @autoclosure () throws -> [Destination]
) rethrows -> [Destination] {
    try view.map(Array.init) ?? other()
}

/// The objects that an ordered to-many relationship references, in their order: a live view. It
/// reads the keys at the first access.
///
/// The objects may be faults: iteration reads them in batches, and an object that is accessed by
/// its index is read when it is used. Appending reads nothing, so it is cheap in a large list;
/// every other operation reads the keys once. An insertion writes only the position of the inserted
/// object. Positions are not part of the members' rows: a change of the order does not change a
/// member's version, and causes no conflicts.
///
/// If two contexts change one list, both changes are kept: the later save applies its insertions,
/// removals and moves to the list of the earlier save. A moved or inserted object is placed after
/// the same predecessor, or after the nearest earlier one that still exists. Appended objects are
/// placed after all others.
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
/// - ``firstIndex(of:)``
/// - ``index(of:)``
public struct OrderedToMany<Destination: ManagedObject> {
    let owner: ManagedObject
    let ordinal: Int

    /// Returns whether the object is a member. Reads the keys once.
    ///
    /// - Complexity: O(n)
    public func contains(_ object: Destination) -> Bool {
        object.state === owner.state && owner.hasContext
            && owner.links(ordinal).contains(object.key)
    }

    /// Returns the index of the object, or nil. Reads the keys once.
    ///
    /// - Complexity: O(n)
    public func index(of object: Destination) -> Int? {
        guard object.state === owner.state else { return nil }
        return owner.ownLinks.members(ordinal).firstIndex { $0.key == object.key }
    }

    /// Returns the index of the object, or nil. Reads the keys once.
    ///
    /// - Complexity: O(n)
    public func firstIndex(of object: Destination) -> Int? {
        index(of: object)
    }

    // MARK: Adding

    /// Adds an object at the end, and the owner to the object's inverse. Reads nothing from the
    /// store. An object that is already a member keeps its position.
    public func append(_ object: Destination) {
        owner.ownLinks.link(ordinal, to: object)
    }

    /// Adds objects at the end.
    public func append(contentsOf objects: some Sequence<Destination>) {
        for object in Array(objects) { append(object) }
    }

    /// Inserts an object before the one at the index, or at the end. An object that is already a
    /// member is moved.
    ///
    /// - Precondition: The index is from 0 to the count.
    public func insert(_ object: Destination, at index: Int) {
        insert(contentsOf: [object], at: index)
    }

    /// Inserts objects before the one at the index, or at the end. Objects that are already members
    /// are moved.
    ///
    /// - Precondition: The index is from 0 to the count.
    public func insert(contentsOf objects: some Sequence<Destination>, at index: Int) {
        owner.orderedLinks.place(Array(objects), at: index, in: ordinal)
    }

    // MARK: Taking out

    /// Removes an object, and the owner from the object's inverse. Reads nothing from the store.
    public func remove(_ object: Destination) {
        owner.ownLinks.unlink(ordinal, from: object)
    }

    /// Removes and returns the object at an index.
    ///
    /// - Precondition: The index is an index of the list.
    /// - Returns: The object.
    @discardableResult
    public func remove(at index: Int) -> Destination {
        let object = self[index]
        remove(object)
        return object
    }

    /// Removes all objects.
    public func removeAll() {
        for member in owner.ownLinks.linksToChange(ordinal).members.reversed() {
            if let object = owner.object(for: member) {
                owner.ownLinks.unlink(ordinal, from: object)
            }
        }
    }

    // MARK: Reordering

    /// Moves the object at one index to another index.
    ///
    /// - Precondition: Both are indices of the list.
    public func move(from source: Int, to destination: Int) {
        precondition(indices.contains(destination), "There is no index \(destination) in the list.")
        move(fromOffsets: [source], toOffset: destination > source ? destination + 1 : destination)
    }

    /// Moves the objects at some indices, in their order, before the object that is now at another
    /// index (or to the end). List views report dragged rows in this form. The offsets may be an
    /// `IndexSet`.
    ///
    /// - Precondition: The offsets are indices of the list; the target is an index or the count.
    public func move(fromOffsets offsets: some Sequence<Int>, toOffset target: Int) {
        let members = owner.ownLinks.linksToChange(ordinal).members
        let moved = Set(offsets).sorted().map { offset in
            precondition(
                members.indices.contains(offset), "There is no index \(offset) in the list.")
            return members[offset].key
        }
        owner.orderedLinks.place(moved, before: target, in: ordinal)
    }

    /// Swaps two objects.
    ///
    /// - Precondition: Both are indices of the list.
    public func swapAt(_ one: Int, _ other: Int) {
        var keys = owner.ownLinks.linksToChange(ordinal).members.map { $0.key }
        precondition(
            keys.indices.contains(one) && keys.indices.contains(other),
            "There is no index \(one) or no index \(other) in the list.")
        guard one != other else { return }
        keys.swapAt(one, other)
        owner.orderedLinks.arrange([keys[one], keys[other]], in: keys, ordinal)
    }

    /// Sorts the objects by a comparison. Equal objects keep their order.
    public func sort(by areInIncreasingOrder: (Destination, Destination) throws -> Bool) rethrows {
        let sorted = try Array(self).sorted(by: areInIncreasingOrder).map { $0.key }
        guard sorted != owner.ownLinks.linksToChange(ordinal).members.map(\.key) else { return }
        owner.orderedLinks.arrange(Set(sorted), in: sorted, ordinal)
    }

    /// Replaces the members with these objects, in this order. If an object occurs more than once,
    /// its first occurrence counts.
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

    /// The number of objects. Reads the keys once.
    public var endIndex: Int { owner.ownLinks.members(ordinal).count }

    /// The object at an index; it may be a fault. Reads the keys once.
    ///
    /// - Precondition: The index is an index of the list.
    public subscript(index: Int) -> Destination {
        let members = owner.links(ordinal).members
        precondition(members.indices.contains(index), "There is no index \(index) in the list.")
        return owner.object(for: members[index])?.cast(to: Destination.self)
            ?? owner.invalidObject(of: ordinal)
    }

    /// Returns an iterator over the current objects. It reads the rows of faults in batches.
    public func makeIterator() -> OrderedToManyIterator<Destination> {
        OrderedToManyIterator(owner: owner, members: owner.ownLinks.members(ordinal))
    }
}

/// An iterator over the objects of an ordered to-many relationship.
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

    /// Returns the next object, or nil at the end.
    public mutating func next() -> Destination? {
        while batch.isEmpty {
            guard position < members.count else { return nil }
            let end = min(position + Self.batchSize, members.count)
            let objects = members[position..<end].compactMap { owner.object(for: $0) }
            position = end
            let faults = objects.filter { $0.isFault && $0.lifecycle == .clean }
            // Objects that cannot be read remain faults, and report the error when they are used.
            if faults.count > 1 { try? owner.state.context?.faulting.load(faults) }
            batch = objects.compactMap { $0.cast(to: Destination.self) }[...]
        }
        return batch.popFirst()
    }
}
