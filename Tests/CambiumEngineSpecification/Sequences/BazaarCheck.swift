import Cambium
import CambiumEngine
import CambiumModel
import Foundation

/// What is wrong with the rows of a bazaar, whoever wrote them: everything that a store keeps up to date
/// is computed again from the objects that a new context finds.
struct BazaarCheck {
    private let context: ManagedObjectContext
    private(set) var faults: [String] = []

    init(_ container: PersistentContainer) throws {
        context = container.newContext()
        try checkThings()
        try checkOthers()
        try checkInverses()
        try checkUniqueValues()
    }

    private mutating func expect(_ object: ManagedObject, _ name: String, _ expected: Value) throws
    {
        let value = try object.value(forKey: name)
        if value != expected {
            faults.append("\(object.objectID).\(name) is \(value), not \(expected)")
        }
    }

    private func integer(_ object: ManagedObject, _ name: String) throws -> Int64? {
        if case .int(let number) = try object.value(forKey: name) { number } else { nil }
    }

    // MARK: Derived values

    private mutating func checkThings() throws {
        for thing in try context.all("Thing") {
            let twice = try integer(thing, "number").map { $0.multipliedReportingOverflow(by: 2) }
                .flatMap { $0.overflow ? nil : $0.partialValue }
            let pieces = Int64(try thing.many("pieces").count)
            let shelf = thing[one: "shelf"]
            try expect(thing, "nameLength", .int(Int64(thing["name"].unicodeScalars.count)))
            try expect(thing, "twice", twice.map { .int($0) } ?? .null)
            try expect(thing, "pieceCount", .int(pieces))
            try expect(thing, "burden", .int(sum(thing.many("labels"), "weight")))
            try expect(thing, "shelfName", shelf.map { .string($0["name"]) } ?? .null)
            try expect(
                thing, "roomName", shelf?[one: "room"].map { .string($0["name"]) } ?? .null)
            if thing.entity.name == "Gadget" {
                let power = try integer(thing, "power") ?? 0
                try expect(thing, "strength", .int(power * pieces))
            }
        }
    }

    private mutating func checkOthers() throws {
        for shelf in try context.all("Shelf") {
            let things = try shelf.orderedRelatedObjects(forKey: "things")
            var worth: Decimal = 0
            for thing in things {
                if case .decimal(let price) = try thing.value(forKey: "price") { worth += price }
            }
            try expect(shelf, "thingCount", .int(Int64(things.count)))
            try expect(shelf, "worth", .decimal(worth))
            try expect(shelf, "total", .int(sum(things, "pieceCount")))
        }
        for room in try context.all("Room") {
            let shelves = try room.many("shelves")
            try expect(room, "shelfCount", .int(Int64(shelves.count)))
            try expect(room, "total", .int(sum(shelves, "thingCount")))
        }
        for label in try context.all("Label") {
            try expect(label, "thingCount", .int(Int64(label.many("things").count)))
        }
        for piece in try context.all("Piece") {
            let thing = piece[one: "thing"]
            try expect(piece, "thingName", thing.map { .string($0["name"]) } ?? .null)
            try expect(
                piece, "shelfName", thing?[one: "shelf"].map { .string($0["name"]) } ?? .null)
        }
    }

    private func sum(_ objects: some Sequence<ManagedObject>, _ name: String) throws -> Int64 {
        try objects.reduce(0) { try $0 + (integer($1, name) ?? 0) }
    }

    // MARK: Links

    /// Every link is seen from both sides, references an object that exists, and is there once.
    private mutating func checkInverses() throws {
        let model = context.coordinator.managedObjectModel
        var links: [String: Set<[ObjectID]>] = [:]
        var existing: Set<ObjectID> = []
        for entity in ["Thing", "Shelf", "Room", "Label", "Piece"] {
            for object in try context.all(entity) {
                existing.insert(object.objectID)
                for relationship in model.relationships(of: object.entity) {
                    let others = try ends(of: relationship, object)
                    let name = "\(entity).\(relationship.name)"
                    links[name, default: []].formUnion(others.map { [object.objectID, $0] })
                    if Set(others).count < others.count {
                        faults.append("\(object.objectID).\(relationship.name) is \(others)")
                    }
                    if others.isEmpty, !relationship.isToMany, !relationship.isOptional {
                        faults.append("\(object.objectID).\(relationship.name) is missing")
                    }
                }
            }
        }
        for pair in links.values.joined() where !existing.contains(pair[1]) {
            faults.append("\(pair[0]) references \(pair[1]), which does not exist")
        }
        for entity in model.entities {
            for relationship in entity.relationships {
                guard let inverse = relationship.inverse else { continue }
                let forward = links["\(entity.name).\(relationship.name)"] ?? []
                let back = links["\(relationship.destination).\(inverse)"] ?? []
                let missing = forward.subtracting(back.map { [$0[1], $0[0]] })
                if !missing.isEmpty {
                    faults.append("\(entity.name).\(relationship.name) alone has \(missing)")
                }
            }
        }
    }

    private func ends(
        of relationship: Relationship, _ object: ManagedObject
    ) throws -> [ObjectID] {
        if !relationship.isToMany {
            return [try object.relatedObject(forKey: relationship.name)?.objectID].compactMap(
                \.self)
        }
        return relationship.isOrdered
            ? try object.orderedRelatedObjects(forKey: relationship.name).map(\.objectID)
            : try object.many(relationship.name).map(\.objectID)
    }

    // MARK: Unique values

    private mutating func checkUniqueValues() throws {
        func check(_ entity: String, _ key: (ManagedObject) throws -> [String]?) throws {
            let keys = try context.all(entity).compactMap(key)
            for (key, group) in Dictionary(grouping: keys, by: \.self) where group.count > 1 {
                faults.append("\(group.count) of \(entity) have \(key)")
            }
        }
        try check("Thing") { thing in
            if case .string(let code) = try thing.value(forKey: "code") { [code] } else { nil }
        }
        try check("Room") { [$0["name"]] }
        try check("Piece") { ["\($0[one: "thing"]?.objectID.key ?? 0)", $0["name"]] }
    }
}
