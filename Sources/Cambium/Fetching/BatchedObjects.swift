import CambiumRecords

/// The result of a request as a collection that reads objects in batches, when they are accessed.
/// At first only the keys are read. Objects of earlier batches are released. Use it for lists that
/// are much longer than the part that is displayed.
///
/// The collection is a snapshot: its members and their order do not change. It belongs to the
/// isolation of its context, and it retains the context.
///
/// ```swift
/// var request = Product.fetchRequest().sorted(by: Product.title)
/// request.batchSize = 50
/// let products = try context.fetchInBatches(request)
/// products.count                                   // no object is read
/// for product in products[1000..<1020] { … }       // one statement
/// ```
public struct BatchedObjects<Entity: ManagedObject>: RandomAccessCollection {
    let window: BatchWindow<Entity>

    /// The first index, 0.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { window.count }

    /// The object at an index. If its batch is not in memory, the batch is read.
    ///
    /// If a save has merged the object into one of another class (both had the same unique values),
    /// the collection returns an invalid object with default values instead.
    ///
    /// - Complexity: O(1), and a statement for each batch. If the store throws, the context
    ///   remembers the error and cannot be saved, as when a property of a fault cannot be read.
    public subscript(position: Int) -> Entity {
        precondition(
            position >= 0 && position < window.count,
            "The index \(position) is not below the count, \(window.count).")
        return window.object(at: position)
    }

    /// Returns the identity of an object, without reading it.
    public func objectID(at position: Int) -> ObjectID {
        precondition(
            position >= 0 && position < window.count,
            "The index \(position) is not below the count, \(window.count).")
        return window.objectID(at: position)
    }
}

/// The keys of a long list, and the batches of objects that were accessed last.
final class BatchWindow<Entity: ManagedObject> {
    /// The maximum number of batches in memory: enough for the visible part of a list and the next
    /// batch.
    private static var maximum: Int { 3 }

    private let context: ManagedObjectContext
    private let size: Int
    private let members: MemberList
    private var batches: [(number: Int, objects: [Entity])] = []

    init(_ members: MemberList, size: Int, in context: ManagedObjectContext) {
        self.context = context
        self.size = size
        self.members = members
    }

    var count: Int { members.count }

    func objectID(at position: Int) -> ObjectID {
        let member = members[position]
        let description = context.coordinator.model.entities[member.entity]
        let store = context.coordinator.storeIdentifier(ofRoot: description.rootIndex)
        return ObjectID(description, key: member.key, store: store)
    }

    func object(at position: Int) -> Entity {
        let number = position / size
        if let index = batches.firstIndex(where: { $0.number == number }) {
            return batches[index].objects[position - number * size]
        }
        let start = number * size
        let end = Swift.min(start + size, members.count)
        let objects = members[start..<end].map(object)
        let faults = objects.filter { $0.isFault && $0.lifecycle == .clean }
        context.faulting.loadOrNote(faults)
        if batches.count == Self.maximum { batches.removeFirst() }
        batches.append((number, objects))
        context.sweepIfGrown()
        return objects[position - start]
    }

    private func object(_ member: LinkSet.Member) -> Entity {
        let object = context.registry.object(member)
        // The object that was found may have been merged into an object of another class.
        return object.cast(to: Entity.self)
            ?? .invalidObject(
                of: context.coordinator.model.entities[member.entity], in: context.state)
    }
}

extension ManagedObjectContext {
    /// Fetches objects in batches: it reads only their keys first. See ``BatchedObjects``.
    ///
    /// - Parameter request: Its ``FetchRequest/batchSize`` is the number of objects in a batch; 0
    ///   means 100. Prefetched relationships are ignored: they are read as faults.
    /// - Throws: ``StoreError`` if the request cannot be run; any error of the store.
    /// - Complexity: One statement, and some 8 bytes for each object. If unsaved changes count, the
    ///   objects are read once to evaluate the condition.
    public func fetchInBatches<Entity: ManagedObject>(
        _ request: FetchRequest<Entity>
    ) throws -> BatchedObjects<Entity> {
        mergeIfAutomatic()
        processChanges()
        let rows = try fetching.rowRequest(for: request)
        let options = request.options(for: rows.entity)
        let classes = coordinator.model.families[rows.entity.index]
            .map { coordinator.model.entities[$0].objectClass }
        guard classes.allSatisfy({ $0 is Entity.Type }) else {
            throw StoreError.invalidRequest(
                "The objects of \(rows.entity.name) are not all of the class "
                    + "\(Entity.self).",
                remedy: "Fetch them as ManagedObject.")
        }
        let members =
            options.includesPendingChanges && fetching.countsPendingChanges
            ? MemberList(
                try fetching.objects(rows, true).lazy.map {
                    LinkSet.Member(key: $0.key, entity: $0.entityDescription.index)
                }) : try fetching.members(of: rows, fillsRowCache: false)
        sweepIfGrown()
        return BatchedObjects(
            window: BatchWindow(
                members, size: options.batchSize > 0 ? options.batchSize : 100, in: self))
    }
}

/// The keys of rows and the indices of their entities, in the request's order. For long lists: it
/// takes 8 bytes for each row if all rows are of one entity.
struct MemberList: RandomAccessCollection {
    private var keys: [Int64] = []
    /// The index of the first row's entity. While `entities` is empty, it is that of all rows.
    private var entity = 0
    /// The entity index of each row, if the rows are of several entities.
    private var entities: [Int32] = []

    init() {}

    init(_ members: some Sequence<LinkSet.Member>) {
        for member in members { append(member) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { keys.count }

    subscript(position: Int) -> LinkSet.Member {
        LinkSet.Member(
            key: keys[position],
            entity: entities.isEmpty ? entity : Int(entities[position]))
    }

    mutating func append(_ member: LinkSet.Member) {
        if keys.isEmpty {
            entity = member.entity
        } else if entities.isEmpty, member.entity != entity {
            entities = Array(repeating: Int32(entity), count: keys.count)
        }
        if !entities.isEmpty { entities.append(Int32(member.entity)) }
        keys.append(member.key)
    }
}
