import Cambium
import CambiumEngineSpecification
import Foundation
import Testing

/// A store that is moved to one of any kind has what it had, for contexts that are there, for new
/// ones, and when it is opened again.
struct RandomMoveTests {
    private static let model = CompiledModel(RandomObjects.model)

    /// From where to where.
    struct Move: CustomTestStringConvertible {
        let source: StoreKind
        let target: StoreKind

        var testDescription: String { "\(source.name) to \(target.name)" }

        /// Between all kinds in the process; to a server and from it, and from one server to another.
        static var all: [Move] {
            let servers = StoreKind.servers.filter { StoreKind.kinds.contains($0) }
            let local = StoreKind.kinds.filter { !servers.contains($0) }
            func moves(_ sources: [StoreKind], _ targets: [StoreKind]) -> [Move] {
                sources.flatMap { source in targets.map { Move(source: source, target: $0) } }
            }
            return moves(local, local) + moves([.file], servers) + moves(servers, [.file])
                + moves(servers, servers)
        }
    }

    @Test(arguments: TestSize.sample(Move.all, oneIn: 3))
    func `what was moved is as it was`(_ way: Move) throws {
        let (kind, other) = (way.source, way.target)
        try forEachSeed(share: 1 / 16, for: 0.8) { seed in
            try kind.withDescriptions(1) { old in
                try other.withDescriptions(1) { new in
                    try move((kind, old[0]), (other, new[0]), seed)
                }
            }
        }
    }

    private func open(
        _ description: StoreDescription
    ) throws -> (PersistentStoreCoordinator, PersistentStore) {
        let coordinator = PersistentStoreCoordinator(model: Self.model)
        return (coordinator, try coordinator.addPersistentStore(with: description))
    }

    private func move(
        _ source: (kind: StoreKind, description: StoreDescription),
        _ target: (kind: StoreKind, description: StoreDescription), _ seed: UInt64
    ) throws {
        let (old, new) = (source.description, target.description)
        // One of them may keep dates in less than every bit.
        let dates = try source.kind.datePrecision ?? target.kind.datePrecision
        let (coordinator, store) = try open(old)
        let context = coordinator.newContext()
        var objects = RandomObjects(in: context, seed: seed)
        try objects.fill()
        coordinator.setMetadata(["seed": "\(seed)"], for: store)
        try context.save()
        let lastKeys = try Self.insertAndDelete(in: context)
        let shown = try RandomObjects.contents(of: context, dates: dates)
        let expected = try RandomObjects.contents(of: coordinator.newContext(), dates: dates)

        let moved = try coordinator.migratePersistentStore(
            store, to: new.location, type: new.type)
        #expect(coordinator.persistentStores == [moved], "seed \(seed)")
        try compare(RandomObjects.contents(of: context, dates: dates), shown, "where it was", seed)
        try compare(
            RandomObjects.contents(of: coordinator.newContext(), dates: dates), expected, "moved",
            seed)
        #expect(try coordinator.metadata(for: moved).notes == ["seed": "\(seed)"], "seed \(seed)")

        // The rows have the versions that the objects know, and keys are not used again.
        for object in context.registeredObjects where !object.isDeleted {
            if let name = Self.freeText(of: object) { object[name] += "x" }
        }
        try context.save()
        for (entity, key) in lastKeys {
            let object = try context.insertObject(ofEntity: entity)
            #expect(object.objectID.key > key, "seed \(seed), \(entity)")
            context.delete(object)
        }
        try context.save()
        let changed = try RandomObjects.contents(of: coordinator.newContext(), dates: dates)

        // Both stores are there, each by itself.
        if target.kind.canBeOpenedAgain {
            let (coordinator, again) = try open(new)
            try compare(
                RandomObjects.contents(of: coordinator.newContext(), dates: dates), changed,
                "opened", seed)
            #expect(again.identifier == moved.identifier, "seed \(seed)")
        }
        if source.kind.canBeOpenedAgain {
            let (coordinator, again) = try open(old)
            try compare(
                RandomObjects.contents(of: coordinator.newContext(), dates: dates), expected,
                "old one", seed)
            #expect(again.identifier == store.identifier, "seed \(seed)")
        }
    }

    /// Uses up a key of each entity: objects that are gone when the store moves.
    private static func insertAndDelete(
        in context: ManagedObjectContext
    ) throws -> [String: Int64] {
        var keys: [String: Int64] = [:]
        for entity in ["Category", "Album", "Volume", "Friend"] {
            let object = try context.insertObject(ofEntity: entity)
            if entity == "Category" { object["name"] = "gone" }
            keys[entity] = object.objectID.key
            try context.save()
            context.delete(object)
            try context.save()
        }
        return keys
    }

    /// A text that may be anything.
    private static func freeText(of object: ManagedObject) -> String? {
        ["Article": "title", "Album": "title", "Track": "title", "Friend": "name", "Disc": "name"][
            object.entity.name]
    }

    private func compare(
        _ found: [String: String], _ expected: [String: String], _ place: String, _ seed: UInt64
    ) {
        for (name, words) in expected where found[name] != words {
            Issue.record(
                "seed \(seed), \(place), \(name):\n\(found[name] ?? "missing")\nnot\n\(words)")
            return
        }
        #expect(found.count == expected.count, "seed \(seed), \(place)")
    }
}
