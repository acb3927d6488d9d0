@testable import Cambium
import CambiumEngineSpecification
import Testing

/// Every deed against every other, under every policy, wherever the conflict is found: in the row
/// cache, in the store, in what another process has written, or in a store of the program's own.
/// ``DisputeOracle`` knows what must come out.
struct DisputeTableTests {
    /// Where our save can find out.
    enum Place: String, CaseIterable {
        case rowCache, store, otherProcess, customStore
    }

    struct Case: CustomTestStringConvertible {
        let theirs: DisputeOracle.Deed
        let ours: DisputeOracle.Deed
        let policy: DisputeOracle.Policy
        let place: Place

        var testDescription: String {
            "\(theirs) there, \(ours) here, \(policy), \(place)"
        }

        static let all = DisputeOracle.Deed.allCases.flatMap { theirs in
            DisputeOracle.Deed.allCases.flatMap { ours in
                DisputeOracle.Policy.allCases.flatMap { policy in
                    Place.allCases.map {
                        Case(theirs: theirs, ours: ours, policy: policy, place: $0)
                    }
                }
            }
        }
    }

    @Test(arguments: TestSize.sample(Case.all, oneIn: 4))
    func `the outcome is what the rules say`(_ dispute: Case) throws {
        try withStoreFile { path in
            // Files only where another process is to see them: they take most of the time.
            let kind: StoreKind =
                switch dispute.place {
                case .customStore: .dictionary
                case .otherProcess: .lasting
                case .rowCache, .store: .current
                }
            let container = try makeContainer(Dispute.model, on: kind, path: path)
            let other =
                dispute.place == .otherProcess
                ? try PersistentContainer(model: Dispute.model, at: .temporary(path)) : container
            let (theirs, ours) = (other.newContext(), container.newContext())
            let maker = container.newContext()
            let id = try makeThing(in: maker)
            let known = try #require(try ours.all("Thing").first)
            _ = try Self.value(of: known)
            let another = try #require(try theirs.all("Thing").first)
            _ = try Self.value(of: another)

            try act(dispute.theirs, .theirs, on: another, in: theirs)
            try theirs.save()
            if dispute.place == .store || dispute.place == .customStore {
                container.coordinator.rowCache.removeAll()
            }
            let mine = try act(dispute.ours, .ours, on: known, in: ours)
            ours.mergePolicy = Self.policies[dispute.policy] ?? .error

            let expected = DisputeOracle.outcome(
                theirs: dispute.theirs, ours: dispute.ours, policy: dispute.policy)
            guard let expected else {
                ours.processPendingChanges()
                let before = Self.counts(ours)
                let error = #expect(throws: (any Error).self) { try ours.save() }
                if dispute.ours == .insert {
                    #expect((error as? ConstraintConflictError)?.coreDataCode == 133021)
                } else {
                    #expect((error as? ConflictError)?.coreDataCode == 133020)
                }
                #expect(Self.counts(ours) == before)
                #expect(
                    try read(container)
                        == DisputeOracle.state(
                            after: dispute.theirs, of: .theirs))
                return
            }
            try ours.save()
            #expect(try read(container) == expected)
            #expect(!ours.hasChanges)
            if dispute.place == .otherProcess {
                #expect(try danglingKeys(in: path).isEmpty)
            }
            // Nobody has told this context about a thing that it did not touch.
            guard dispute.ours != .insert || dispute.theirs == .insert else { return }
            // No half object here either: what the context shows is what the store has.
            #expect(try Self.state(ours) == expected)
            if let mine, expected.inserted.count == 1 {
                let survivor = ours.object(with: mine.objectID)
                #expect(try Self.value(of: survivor) == expected.inserted[0])
                #expect(try Self.value(of: mine) == expected.inserted[0])
            }
            // And it knows the versions: the next save meets no conflict.
            ours.mergePolicy = .error
            for thing in try ours.all("Thing") { thing["both"] += " after" }
            try ours.save()
            #expect((ours.registeredObject(for: id) == nil) == (expected.thing == nil))
        }
    }

    private static let policies: [DisputeOracle.Policy: MergePolicy] = [
        .error: .error, .rollback: .rollback, .overwrite: .overwrite, .storeTrump: .storeTrump,
        .objectTrump: .objectTrump,
    ]

    private static func counts(_ context: ManagedObjectContext) -> [Int] {
        [context.insertedObjects, context.updatedObjects, context.deletedObjects].map(\.count)
    }

    private func makeThing(in context: ManagedObjectContext) throws -> ObjectID {
        for name in ["base", "theirs", "ours"] {
            _ = try context.make("Shelf", ["name": name])
            _ = try context.make("Label", ["name": name])
        }
        let thing = try context.make("Thing")
        for name in ["both", "first", "second"] { thing[name] = "base" }
        thing[one: "shelf"] = try find("Shelf", "base", in: context)
        try thing.many("labels").insert(find("Label", "base", in: context))
        try context.save()
        return thing.objectID
    }

    private func find(
        _ entity: String, _ name: String, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        try #require(try context.all(entity).first { $0["name"] == name })
    }

    /// - Returns: The new object, if it is one.
    @discardableResult
    private func act(
        _ deed: DisputeOracle.Deed, _ side: DisputeOracle.Side, on thing: ManagedObject,
        in context: ManagedObjectContext
    ) throws -> ManagedObject? {
        let name = side.rawValue
        switch deed {
        case .update:
            thing["both"] = name
            thing[side == .theirs ? "first" : "second"] = name
        case .delete:
            context.delete(thing)
        case .insert:
            let new = try context.make("Thing", ["both": name, "code": "same"])
            new[side == .theirs ? "first" : "second"] = name
            new[one: "shelf"] = try find("Shelf", name, in: context)
            try new.many("labels").insert(find("Label", name, in: context))
            return new
        case .relationship:
            thing[one: "shelf"] = try find("Shelf", name, in: context)
            try thing.many("labels").remove(find("Label", "base", in: context))
            try thing.many("labels").insert(find("Label", name, in: context))
        }
        return nil
    }

    private func read(_ container: PersistentContainer) throws -> DisputeOracle.State {
        let reader = container.newContext()
        return try Self.state(reader)
    }

    private static func state(_ context: ManagedObjectContext) throws -> DisputeOracle.State {
        var state = DisputeOracle.State(thing: nil)
        for thing in try context.all("Thing") {
            if thing["code"] == "same" {
                state.inserted.append(try value(of: thing))
            } else {
                state.thing = try value(of: thing)
            }
            // Both sides of the relationships agree.
            #expect(try thing[one: "shelf"]?.many("things").contains(thing) != false)
            for label in try thing.many("labels") {
                #expect(try label.many("things").contains(thing))
            }
        }
        for shelf in try context.all("Shelf") {
            for thing in try shelf.many("things") { #expect(thing[one: "shelf"] === shelf) }
        }
        return state
    }

    private static func value(of thing: ManagedObject) throws -> DisputeOracle.Thing {
        DisputeOracle.Thing(
            both: thing["both"], first: thing["first"], second: thing["second"],
            shelf: thing[one: "shelf"]?["name"] ?? "none",
            labels: Set(try thing.many("labels").map { $0["name"] }))
    }
}
