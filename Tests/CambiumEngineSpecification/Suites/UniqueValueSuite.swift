import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

extension EngineSuite {
    /// No two rows have one unique value, and every merge policy says which row keeps it.
    package static let uniqueValues = EngineSuite("unique values") {
        EngineCase("a unique value that the store has is refused") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                _ = Robot(in: context, name: "One", serial: "1")
                try context.save()
                let other = container.newContext()
                _ = Robot(in: other, name: "Two", serial: "1")
                let error = #expect(throws: ConstraintConflictError.self) { try other.save() }
                #expect(error?.coreDataCode == 133021)
                #expect(error?.conflicts.map(\.constraint) == [["serial"]])
            }
        }

        EngineCase("a unique value twice in one save is refused") { engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                _ = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
                _ = Product(in: context, sku: "AB-1", kind: .toy, price: 2)
                let error = #expect(throws: ConstraintConflictError.self) { try context.save() }
                #expect(error?.conflicts.first?.conflictingObjectIDs.count == 2)
                try #expect(container.newContext().count(for: Product.fetchRequest()) == 0)
            }
        }

        EngineCase("any number of objects may have nil for a unique value") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                for _ in 0..<2 { _ = Limited(in: context) }
                try context.save()
                #expect(try context.count(for: Limited.fetchRequest()) == 2)
            }
        }

        EngineCase("objects that exchange unique values are saved") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let one = Robot(in: context, name: "One", serial: "1")
                let two = Robot(in: context, name: "Two", serial: "2")
                try context.save()
                (one.serial, two.serial) = ("2", "1")
                try context.save()
                let serials = try container.newContext()
                    .fetch(Robot.fetchRequest().sorted(by: Robot.name)).map(\.serial)
                #expect(serials == ["2", "1"])
            }
        }

        EngineCase("unique texts that only look alike are two") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let composed = Robot(in: context, name: "1", serial: "\u{E9}")
                let decomposed = Robot(in: context, name: "2", serial: "e\u{301}")
                try context.save()
                (composed.serial, decomposed.serial) = ("e\u{301}", "\u{E9}")
                #expect(context.hasChanges)
                try context.save()
                let other = container.newContext()
                other.mergePolicy = .overwrite
                _ = Robot(in: other, name: "3", serial: "E\u{301}")
                _ = Robot(in: other, name: "4", serial: "\u{C9}")
                try other.save()
                let read = try container.newContext().fetch(
                    Robot.fetchRequest().sorted(by: Robot.name))
                #expect(
                    read.map { Array($0.serial.utf8) }
                        == ["e\u{301}", "\u{E9}", "E\u{301}", "\u{C9}"].map { Array($0.utf8) })
            }
        }

        EngineCase("an object that exchanges unique values comes to the end of another list") {
            engine in
            try engine.withContainer(playlists) { container in
                let (context, reader) = (container.newContext(), container.newContext())
                let lists = try ["a", "b"].map { try context.make("List", ["name": $0]) }
                let songs = try ["0", "1", "2", "3"].map {
                    try context.make("Song", ["name": $0, "code": $0])
                }
                for (index, song) in songs.enumerated() { song[one: "first"] = lists[index / 2] }
                try context.save()
                (songs[0]["code"], songs[1]["code"]) = ("1", "0")
                songs[0][one: "first"] = lists[1]
                try context.save()
                let names = try reader.all("List").map { list in
                    try list.orderedRelatedObjects(forKey: "debuts").map { $0["name"] }
                }
                #expect(names == [["1"], ["2", "3", "0"]])
            }
        }

        EngineCase("rule 71: a value twice in one context is an error that names both") { engine in
            try engine.withContainer(Dispute.model) { container in
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

        for policy in mergingPolicies {
            EngineCase(
                "rule 71: under other policies one row is left and no instance without one (\(policy))"
            ) { engine in
                try engine.withContainer(Dispute.model) { container in
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
        }

        for policy in mergingPolicies {
            EngineCase("rule 71: the lists of objects with one value become one (\(policy))") {
                engine in
                try engine.withContainer(playlists) { container in
                    let (context, reader) = (container.newContext(), container.newContext())
                    let songs = try (0..<6).map { try context.make("Song", ["name": "\($0)"]) }
                    func names(_ list: ManagedObject) throws -> [String] {
                        try list.orderedRelatedObjects(forKey: "songs").map { $0["name"] }
                    }
                    // None is in the order of its members' keys.
                    let lists = try [[2, 1], [5, 0, 1], [4, 3]].map { members in
                        let list = try context.make("List", ["name": "same"])
                        let ordered = try list.orderedRelatedObjects(forKey: "songs")
                        for member in members { ordered.append(songs[member]) }
                        return list
                    }
                    context.mergePolicy = policy
                    try context.save()
                    let expected =
                        policy == .rollback ? ["2", "1"] : ["2", "1", "5", "0", "4", "3"]
                    #expect(try reader.all("List").map(names) == [expected])
                    #expect(try lists.map(names) == [expected, expected, expected])
                }
            }
        }

        for policy in mergingPolicies {
            EngineCase(
                "rule 72: the row in the store keeps its key and takes what the policy gives it (\(policy))"
            ) { engine in
                try engine.withContainer(Dispute.model) { container in
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
                    #expect(
                        ["both", "first"].map { thing[$0] } == ["both", "first"].map { read[$0] })
                    // Other contexts get the change, and the version shows it.
                    first.mergePending()
                    #expect(stored["both"] == read["both"])
                    stored["both"] = "again"
                    try first.save()
                }
            }
        }

        EngineCase("rule 72: a changed object gives the value back, or the save fails") { engine in
            for policy in mergingPolicies {
                try engine.withContainer(Dispute.model) { container in
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

        EngineCase("rule 73: a value that a delete frees can be taken in the same save") { engine in
            try engine.withContainer(Dispute.model) { container in
                let context = container.newContext()
                let old = try context.make("Thing", ["code": "same"])
                try context.save()
                context.delete(old)
                let new = try context.make("Thing", ["code": "same"])
                try context.save()
                #expect(try container.newContext().all("Thing").map(\.objectID) == [new.objectID])
            }
        }

        EngineCase("rule 73: nil never collides") { engine in
            try engine.withContainer(Dispute.model) { container in
                let context = container.newContext()
                for policy in mergingPolicies + [.error] {
                    context.mergePolicy = policy
                    _ = try context.make("Thing")
                    _ = try context.make("Thing")
                    try context.save()
                }
                #expect(try context.all("Thing").count == 10)
            }
        }

        EngineCase("rule 73: objects exchange unique values in one save") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                // The serials are required, and names have a least length: no value in between fits.
                let robots = (0..<5).map {
                    Robot(in: context, name: "Robot \($0)", serial: "\($0)")
                }
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

        EngineCase("rule 73: a chain of unique values moves up in one save") { engine in
            try engine.withContainer(Everything.model) { container in
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
    }
}

private let playlists = CompiledModel(
    Model(
        name: "Playlists", version: "1",
        entities: [
            Entity(
                name: "List", attributes: [Attribute(name: "name", type: .string)],
                relationships: [
                    Relationship(
                        name: "songs", destination: "Song", inverse: "lists", isToMany: true,
                        isOrdered: true),
                    Relationship(
                        name: "debuts", destination: "Song", inverse: "first", isToMany: true,
                        isOrdered: true),
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["name"])]),
            Entity(
                name: "Song",
                attributes: [
                    Attribute(name: "name", type: .string),
                    Attribute(name: "code", type: .string, isOptional: true),
                ],
                relationships: [
                    Relationship(
                        name: "lists", destination: "List", inverse: "songs", isToMany: true),
                    Relationship(name: "first", destination: "List", inverse: "debuts"),
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["code"])]),
        ]))

/// The merge policies that decide conflicts by themselves.
let mergingPolicies: [MergePolicy] = [.rollback, .overwrite, .storeTrump, .objectTrump]
