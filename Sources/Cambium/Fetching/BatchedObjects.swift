import CambiumRecords

/// What a request found, of which only keys are read at first: objects come in batches when they
/// are looked at, and go when others are. For lists that are longer than what is shown of them.
///
/// It is a snapshot: which objects there are, and in which order, does not change. It belongs to
/// the isolation of its context, which it keeps alive.
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

    /// The first position, 0.
    public var startIndex: Int { 0 }
    /// How many objects there are.
    public var endIndex: Int { window.count }

    /// An object, read with those around it where it is none of those that were looked at last.
    ///
    /// Where a save has merged the object into one of another class (both had the same unique
    /// values), an object that reads as deleted takes its place, with placeholder values.
    ///
    /// - Complexity: O(1), and a statement for each batch. What the store throws keeps the context
    ///   from being saved, as it does where a property of a fault is read.
    public subscript(position: Int) -> Entity {
        precondition(
            position >= 0 && position < window.count,
            "The index \(position) is not below the count, \(window.count).")
        return window.object(at: position)
    }

    /// The identity of an object, without reading it.
    public func objectID(at position: Int) -> ObjectID {
        precondition(
            position >= 0 && position < window.count,
            "The index \(position) is not below the count, \(window.count).")
        return window.objectID(at: position)
    }
}

/// The keys of a long list, and the objects around the places that were looked at last.
final class BatchWindow<Entity: ManagedObject> {
    /// How many batches are kept: those that a list shows, and the next.
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
        // Another object, of any class, may stand for the one that was found.
        return object.cast(to: Entity.self)
            ?? .invalidObject(
                of: context.coordinator.model.entities[member.entity], in: context.state)
    }
}

extension ManagedObjectContext {
    /// Finds objects, and reads only their keys: see ``BatchedObjects``.
    ///
    /// - Parameter request: Its ``FetchRequest/batchSize`` says how many objects are read together;
    ///   0 means 100. Prefetched relationships are left to faults.
    /// - Throws: ``StoreError`` where the request cannot be run; what the store threw.
    /// - Complexity: One statement, and some 8 bytes for each object. Where unsaved changes count,
    ///   the objects are read once to decide which they are.
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

/// The keys of rows that a fetch has found and the numbers of their entities, in the request's order:
/// 8 bytes for each row where all are of one entity, for lists that may be long.
struct MemberList: RandomAccessCollection {
    private var keys: [Int64] = []
    /// The entity of the first row, and of all while `entities` is empty.
    private var entity = 0
    /// The entity of each row, where they are of several.
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
