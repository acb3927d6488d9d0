@testable import Cambium
import EverythingModel
import Testing

/// Unique values that two objects want, and objects that a save only relies on.
struct Rules71To74Tests {
    private static let policies: [MergePolicy] = [
        .rollback, .overwrite, .storeTrump, .objectTrump,
    ]

    @Test func `rule 71: a value twice in one context is an error that names both`() throws {
        try withContainer(Dispute.model) { container in
            let context = container.newContext()
            let one = try context.make("Thing", ["code": "same", "both": "one"])
            let two = try context.make("Thing", ["code": "same", "both": "two"])
            let error = #expect(throws: ConstraintConflictError.self) { try context.save() }
            #expect(error?.coreDataCode == 133021)
            let conflict = try #require(error?.conflicts.first)
            #expect(conflict.constraint == ["code"])
            #expect(conflict.constraintValues == ["code": .string("same")])
            #expect(conflict.databaseObjectID == nil)
            #expect(conflict.conflictingObjectIDs == [one.objectID, two.objectID])
            #expect(
                conflict.conflictingSnapshots.map { $0["both"] } == [
                    .string("one"), .string("two"),
                ])
            // The context stays usable.
            #expect(context.insertedObjects == [one, two])
            two["code"] = "other"
            try context.save()
            #expect(try container.newContext().all("Thing").count == 2)
        }
    }

    @Test(arguments: policies)
    func `rule 71: under other policies one row is left and no instance without one`(
        _ policy: MergePolicy
    ) throws {
        try withContainer(Dispute.model) { container in
            let context = container.newContext()
            let one = try context.make(
                "Thing", ["code": "same", "both": "one", "first": "one"])
            let two = try context.make(
                "Thing", ["code": "same", "both": "two", "second": "two"])
            let three = try context.make("Thing", ["code": "same", "both": "three"])
            let piece = try context.make("Piece", ["name": "piece"])
            piece[one: "thing"] = two
            let id = one.objectID
            context.mergePolicy = policy
            try context.save()
            #expect(!context.hasChanges)
            let reader = container.newContext()
            let read = try #require(try reader.all("Thing").first)
            #expect(try reader.all("Thing").count == 1)
            // The first inserted keeps its identity, and all stand for it.
            #expect(read.objectID == id)
            #expect([one, two, three].map(\.objectID) == [id, id, id])
            #expect(context.registeredObjects.filter { $0.entity.name == "Thing" } == [one])
            let expected =
                switch policy {
                case .objectTrump: ["three", "one", "two"]
                case .overwrite: ["three", "", ""]
                default: ["one", "one", ""]
                }
            for thing in [read, one, two, three] {
                #expect(["both", "first", "second"].map { thing[$0] } == expected)
            }
            // What led to one that gave way leads to the one that stayed.
            #expect(piece[one: "thing"] === one)
            #expect(Array(try one.many("pieces")) == [piece])
            #expect(Array(try two.many("pieces")) == [piece])
            // Whoever holds one that gave way can go on with it.
            two["both"] = "after"
            #expect(one["both"] == "after")
            #expect(context.updatedObjects == [one])
            try context.save()
            let another = container.newContext()
            #expect(try another.all("Thing").map { $0["both"] } == ["after"])
        }
    }

    @Test(arguments: StoreKind.allCases, policies)
    func `rule 72: the row in the store keeps its key and takes what the policy gives it`(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        try withContainer(Dispute.model, on: kind) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let stored = try first.make(
                "Thing", ["code": "same", "both": "stored", "first": "stored"])
            let made = try stored.value(forKey: "made")
            try first.save()
            let thing = try second.make("Thing", ["code": "same", "both": "new"])
            let shelf = try second.make("Shelf")
            thing[one: "shelf"] = shelf
            second.mergePolicy = policy
            try second.save()
            let reader = container.newContext()
            let read = try #require(try reader.all("Thing").first)
            #expect(try reader.all("Thing").count == 1)
            #expect(read.objectID == stored.objectID)
            #expect(thing.objectID == stored.objectID)
            switch policy {
            case .objectTrump:
                // What was never set keeps the store's value: Core Data erases it.
                #expect(["both", "first"].map { read[$0] } == ["new", "stored"])
                #expect(try read.value(forKey: "made") == made)
                #expect(read[one: "shelf"]?.objectID == shelf.objectID)
            case .overwrite:
                #expect(["both", "first"].map { read[$0] } == ["new", ""])
                #expect(read[one: "shelf"]?.objectID == shelf.objectID)
            default:
                #expect(["both", "first"].map { read[$0] } == ["stored", "stored"])
                #expect(read[one: "shelf"] == nil)
            }
            #expect(["both", "first"].map { thing[$0] } == ["both", "first"].map { read[$0] })
            // Others hear of it, and the version says that it changed.
            first.mergePending()
            #expect(stored["both"] == read["both"])
            stored["both"] = "again"
            try first.save()
        }
    }

    @Test(arguments: policies)
    func `rule 72: relationships of the object that gives way move over`(
        _ policy: MergePolicy
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Dispute.model, at: .file(path))
            let (first, second) = (container.newContext(), container.newContext())
            let stored = try first.make("Thing", ["code": "same"])
            let oldPiece = try first.make("Piece", ["name": "both"])
            oldPiece[one: "thing"] = stored
            try first.save()
            let thing = try second.make("Thing", ["code": "same"])
            // Unique together with the thing: it meets the old piece as soon as the things are one.
            let samePiece = try second.make("Piece", ["name": "both"])
            let newPiece = try second.make("Piece", ["name": "new"])
            let label = try second.make("Label", ["name": "label"])
            samePiece[one: "thing"] = thing
            newPiece[one: "thing"] = thing
            try thing.many("labels").insert(label)
            second.mergePolicy = policy
            try second.save()
            let reader = container.newContext()
            #expect(try reader.all("Piece").map { $0["name"] } == ["both", "new"])
            for piece in try reader.all("Piece") {
                #expect(piece[one: "thing"]?.objectID == stored.objectID)
            }
            #expect(samePiece.objectID == oldPiece.objectID)
            let labels = try reader.all("Thing").first?.many("labels").map { $0["name"] }
            #expect(labels == (policy == .rollback ? [] : ["label"]))
            #expect(try thing.many("labels").count == labels?.count)
            #expect(try thing.many("pieces").count == 2)
            #expect(try rows("PRAGMA foreign_key_check", in: path).isEmpty)
        }
    }

    @Test func `rule 72: a changed object gives the value back, or the save fails`() throws {
        for policy in Self.policies {
            try withContainer(Dispute.model) { container in
                let (first, second) = (container.newContext(), container.newContext())
                let thing = try first.make("Thing", ["code": "own", "both": "old"])
                let other = try first.make("Thing", ["code": "taken"])
                try first.save()
                let same = second.object(with: thing.objectID)
                same["code"] = "taken"
                same["both"] = "new"
                second.mergePolicy = policy
                if policy == .objectTrump || policy == .overwrite {
                    // No policy gives up one stored object for a value of another.
                    let error = #expect(throws: ConstraintConflictError.self) {
                        try second.save()
                    }
                    #expect(error?.conflicts.first?.databaseObjectID == other.objectID)
                    #expect(error?.conflicts.first?.conflictingObjectIDs == [thing.objectID])
                    #expect(same["code"] == "taken")
                    return
                }
                try second.save()
                #expect(same["code"] == "own")
                #expect(same["both"] == (policy == .rollback ? "old" : "new"))
                let reader = container.newContext()
                #expect(reader.object(with: thing.objectID)["both"] == same["both"])
                #expect(try reader.all("Thing").count == 2)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 73: a value that a delete frees can be taken in the same save`(
        _ kind: StoreKind
    ) throws {
        try withContainer(Dispute.model, on: kind) { container in
            let context = container.newContext()
            let old = try context.make("Thing", ["code": "same"])
            try context.save()
            context.delete(old)
            let new = try context.make("Thing", ["code": "same"])
            try context.save()
            #expect(try container.newContext().all("Thing").map(\.objectID) == [new.objectID])
        }
    }

    @Test func `rule 73: nil never collides`() throws {
        try withContainer(Dispute.model) { container in
            let context = container.newContext()
            for policy in Self.policies + [.error] {
                context.mergePolicy = policy
                _ = try context.make("Thing")
                _ = try context.make("Thing")
                try context.save()
            }
            #expect(try context.all("Thing").count == 10)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `rule 73: objects exchange unique values in one save`(_ kind: StoreKind) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            // The serials are required, and names have a least length: no value in between fits.
            let robots = (0..<5).map { Robot(in: context, name: "Robot \($0)", serial: "\($0)") }
            let home = Home(in: context)
            robots[1].home = home
            home.owner = robots[2]
            try context.save()
            for (index, robot) in robots.enumerated() { robot.serial = "\((index + 1) % 5)" }
            robots[4].name = "Last"
            try context.save()
            let reader = container.newContext()
            let read = try reader.fetch(Robot.fetchRequest().sorted(by: Robot.name))
            #expect(read.map(\.name) == ["Last"] + (0..<4).map { "Robot \($0)" })
            #expect(read.map(\.serial) == ["0", "1", "2", "3", "4"])
            #expect(read.map { $0.home != nil } == [false, false, true, false, false])
            #expect(read.map(\.owned.count) == [0, 0, 0, 1, 0])
            // The versions are right.
            robots[0].serial = "new"
            try context.save()
        }
    }

    @Test func `rule 73: a chain of unique values moves up in one save`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let robots = (0..<4).map { Robot(in: context, name: "\($0)", serial: "\($0)") }
            try context.save()
            for (index, robot) in robots.enumerated() { robot.serial = "\(index + 1)" }
            _ = Robot(in: context, name: "new", serial: "0")
            try context.save()
            let reader = container.newContext()
            let serials = try reader.fetch(Robot.fetchRequest().sorted(by: Robot.serial))
                .map(\.serial)
            #expect(serials == ["0", "1", "2", "3", "4"])
        }
    }

    @Test(arguments: [true, false])
    func `rule 74: a save fails when what it relies on was changed`(_ isDeleted: Bool) throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let (node, other) = (Node(in: first, label: "base"), Node(in: first))
            try first.save()
            let (same, mine): (Node, Node) = (
                try second.get(node.objectID), try second.get(other.objectID)
            )
            second.detectConflicts(for: same)
            mine.label = "ours"
            #expect(!same.hasChanges)
            try second.save()
            // It held for one save.
            if isDeleted { first.delete(node) } else { node.label = "theirs" }
            try first.save()
            mine.label = "again"
            try second.save()

            second.detectConflicts(for: same)
            mine.label = "and again"
            let error = #expect(throws: ConflictError.self) { try second.save() }
            #expect(error?.conflicts.map(\.objectID) == [node.objectID])
            #expect(error?.conflicts.first?.properties == [])
            #expect(mine.label == "and again")
            // It still holds, as nothing was saved.
            #expect(throws: ConflictError.self) { try second.save() }
            second.mergePolicy = .storeTrump
            try second.save()
            #expect(same.isDeleted == isDeleted)
            #expect(isDeleted || same.label == "theirs")
        }
    }

    @Test func `rule 74: objects that were locked are looked at without any changes`() throws {
        try withContainer(Everything.model) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let node = Node(in: first, label: "base")
            try first.save()
            second.detectConflicts(for: try second.get(node.objectID, as: Node.self))
            node.label = "theirs"
            try first.save()
            #expect(throws: ConflictError.self) { try second.save() }
            second.rollback()
            try second.save()
        }
    }
}
