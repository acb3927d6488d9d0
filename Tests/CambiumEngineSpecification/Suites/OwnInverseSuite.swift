import Cambium
import CambiumModel
import Testing

/// Persons who may be married: `spouse` is its own inverse.
enum Couples {
    static let model = model(isOptional: true)
    /// Nobody is alone.
    static let required = model(isOptional: false)

    private static func model(isOptional: Bool) -> CompiledModel {
        CompiledModel(
            Model(
                name: "Couples", version: "1",
                entities: [
                    Entity(
                        name: "Person", attributes: [Attribute(name: "name", type: .string)],
                        relationships: [
                            Relationship(
                                name: "spouse", destination: "Person", inverse: "spouse",
                                isOptional: isOptional)
                        ]), Entity(name: "Author", parent: "Person"),
                ]))
    }

    static func fill(_ context: ManagedObjectContext, _ names: String) throws -> [ManagedObject] {
        let persons = try names.map {
            try context.make($0.isUppercase ? "Author" : "Person", ["name": String($0)])
        }
        for index in stride(from: 0, to: persons.count - 1, by: 2) {
            persons[index][one: "spouse"] = persons[index + 1]
        }
        try context.save()
        return persons
    }

    /// The couples, as each of their two sides names the other one.
    static func text(_ persons: [ManagedObject]) -> String {
        persons.map { $0["name"] + ($0[one: "spouse"]?["name"] ?? "-") }.joined(separator: " ")
    }

    static func stored(_ container: PersistentContainer) throws -> String {
        let context = container.newContext()
        return text(try context.all("Person"))
    }
}

/// Two contexts with the same persons: `ab cd` are couples.
private func withCouples(
    _ engine: EngineEntry, _ policy: MergePolicy,
    _ body: (
        _ container: PersistentContainer, _ first: [ManagedObject], _ second: [ManagedObject],
        _ contexts: (ManagedObjectContext, ManagedObjectContext)
    ) throws -> Void
) throws {
    try engine.withContainer(Couples.model) { container in
        let (first, second) = (container.newContext(), container.newContext())
        for context in [first, second] {
            context.automaticallyMergesChangesFromParent = false
            context.mergePolicy = policy
        }
        let persons = try Couples.fill(first, "aBCd")
        let same = try second.all("Person")
        #expect(Couples.text(same) == "aB Ba Cd dC")
        try body(container, persons, same, (first, second))
    }
}

/// Expects a refusal that names the persons who would be alone, and a store that is as before.
func expectRefusal(
    _ alone: [ManagedObject], _ container: PersistentContainer, _ work: () throws -> Void
) throws {
    let before = try Couples.stored(container)
    let error = #expect(throws: (any Error).self) { try work() }
    let errors =
        (error as? ValidationErrors)?.errors ?? [error as? ValidationError].compactMap { $0 }
    #expect(
        Set(errors.compactMap(\.objectID)) == Set(alone.map(\.objectID)),
        "\(error.map { "\($0)" } ?? "no error")")
    #expect(errors.allSatisfy { $0.code == .missing && $0.property == "spouse" })
    #expect(try Couples.stored(container) == before)
}

extension EngineSuite {
    /// A one-to-one that is its own inverse: both rows of a pair keep a key, which agree.
    package static let ownInverses = EngineSuite("own inverses") {
        EngineCase("both sides of a pair are set, moved and cleared") { engine in
            try engine.withContainer(Couples.model) { container in
                let context = container.newContext()
                let persons = try Couples.fill(context, "aBCd")
                #expect(Couples.text(persons) == "aB Ba Cd dC")
                persons[0][one: "spouse"] = persons[3]
                #expect(Couples.text(persons) == "ad B- C- da")
                try context.save()
                #expect(try Couples.stored(container) == "ad B- C- da")
                persons[3][one: "spouse"] = nil
                persons[1][one: "spouse"] = persons[1]
                try context.save()
                #expect(try Couples.stored(container) == "a- BB C- d-")
                persons[1][one: "spouse"] = persons[2]
                try context.save()
                #expect(try Couples.stored(container) == "a- BC CB d-")
            }
        }

        EngineCase("a partner that was not read is let go, too") { engine in
            try engine.withContainer(Couples.model) { container in
                let persons = try Couples.fill(container.newContext(), "aBCd").map(\.objectID)
                let context = container.newContext()
                let first = try context.existingObject(with: persons[0])
                first[one: "spouse"] = try context.existingObject(with: persons[2])
                try context.save()
                #expect(try Couples.stored(container) == "aC B- Ca d-")
                context.delete(first)
                try context.save()
                #expect(try Couples.stored(container) == "B- C- d-")
            }
        }

        EngineCase("undo, rollback and refresh restore both sides") { engine in
            try engine.withContainer(Couples.model) { container in
                let context = container.newContext()
                let persons = try Couples.fill(context, "aBCd")
                let undo = ContextUndoManager()
                context.undoManager = undo
                persons[0][one: "spouse"] = persons[3]
                context.processPendingChanges()
                undo.undo()
                #expect(Couples.text(persons) == "aB Ba Cd dC")
                undo.redo()
                #expect(Couples.text(persons) == "ad B- C- da")
                undo.undo()
                context.delete(persons[2])
                context.processPendingChanges()
                #expect(persons[3][one: "spouse"] == nil)
                undo.undo()
                #expect(Couples.text(persons) == "aB Ba Cd dC")
                persons[1][one: "spouse"] = persons[2]
                context.rollback()
                #expect(Couples.text(persons) == "aB Ba Cd dC")
                persons[1][one: "spouse"] = persons[2]
                context.refresh(persons[1], mergeChanges: false)
                #expect(Couples.text(persons) == "aB Ba C- d-")
                try context.save()
                #expect(try Couples.stored(container) == "aB Ba C- d-")
            }
        }

        EngineCase("a child's pairs become its parent's") { engine in
            try engine.withContainer(Couples.model) { container in
                let context = container.newContext()
                let persons = try Couples.fill(context, "aBCd")
                let child = context.newChildContext()
                let own = try persons.map { try child.existingObject(with: $0.objectID) }
                own[0][one: "spouse"] = own[2]
                try child.save()
                #expect(Couples.text(persons) == "aC B- Ca d-")
                child.delete(own[0])
                try child.save()
                try context.save()
                #expect(try Couples.stored(container) == "B- C- d-")
            }
        }

        for policy in mergingPolicies {
            EngineCase("two contexts pair one person with two others (\(policy))") { engine in
                try withCouples(engine, policy) { container, first, second, contexts in
                    first[0][one: "spouse"] = first[2]
                    second[0][one: "spouse"] = second[3]
                    try contexts.0.save()
                    try contexts.1.save()
                    let keepsOurs = policy == .objectTrump || policy == .overwrite
                    let expected = keepsOurs ? "ad B- C- da" : "aC B- Ca d-"
                    #expect(try Couples.stored(container) == expected)
                    #expect(Couples.text(second) == expected)
                }
            }

            EngineCase("a pair is parted here and made elsewhere (\(policy))") { engine in
                try withCouples(engine, policy) { container, first, second, contexts in
                    first[1][one: "spouse"] = first[2]
                    second[0][one: "spouse"] = nil
                    try contexts.0.save()
                    try contexts.1.save()
                    let keepsOurs = policy == .objectTrump || policy == .overwrite
                    let expected = keepsOurs ? "a- B- C- d-" : "a- BC CB d-"
                    #expect(try Couples.stored(container) == expected)
                }
            }

            EngineCase("one side is deleted elsewhere (\(policy))") { engine in
                try withCouples(engine, policy) { container, first, second, contexts in
                    contexts.0.delete(first[3])
                    second[3][one: "spouse"] = second[0]
                    try contexts.0.save()
                    try contexts.1.save()
                    let keepsOurs = policy == .objectTrump || policy == .overwrite
                    let found = try Couples.stored(container)
                    #expect(["ad B- C- da", "a- B- C-", "aB Ba C-"].contains(found), "\(found)")
                    #expect(keepsOurs == found.contains("d"))
                }
            }
        }

        EngineCase("the row of a partner that the context had read before is cleared") { engine in
            try engine.withContainer(Couples.model) { container in
                let (first, second) = (container.newContext(), container.newContext())
                second.automaticallyMergesChangesFromParent = false
                let persons = try Couples.fill(first, "abc")
                let early = try second.existingObject(with: persons[2].objectID)
                #expect(early[one: "spouse"] == nil)
                persons[2][one: "spouse"] = persons[1]
                try first.save()
                let late = try second.existingObject(with: persons[1].objectID)
                late[one: "spouse"] = nil
                second.mergePolicy = .objectTrump
                try second.save()
                #expect(try Couples.stored(container) == "a- b- c-")
            }
        }

        EngineCase("a save that would leave somebody without a required partner is refused") {
            engine in
            try engine.withContainer(Couples.required) { container in
                let context = container.newContext()
                let persons = try Couples.fill(context, "aBCd")
                persons[0][one: "spouse"] = persons[3]
                try expectRefusal([persons[1], persons[2]], container) { try context.save() }
                // What the context has stays, and can be completed.
                #expect(Couples.text(persons) == "ad B- C- da")
                persons[1][one: "spouse"] = persons[2]
                try context.save()
                #expect(try Couples.stored(container) == "ad BC CB da")
                persons[0][one: "spouse"] = nil
                try expectRefusal([persons[0], persons[3]], container) { try context.save() }
                context.rollback()
                let single = try context.make("Person", ["name": "e"])
                try expectRefusal([single], container) { try context.save() }
                context.rollback()
                context.delete(persons[0])
                try expectRefusal([persons[3]], container) { try context.save() }
                context.delete(persons[3])
                try context.save()
                #expect(try Couples.stored(container) == "BC CB")
            }
        }

        EngineCase("a required partner that was not read is named, too") { engine in
            try engine.withContainer(Couples.required) { container in
                let persons = try Couples.fill(container.newContext(), "aBCd")
                let context = container.newContext()
                let first = try context.existingObject(with: persons[0].objectID)
                first[one: "spouse"] = try context.existingObject(with: persons[2].objectID)
                try expectRefusal([persons[1], persons[3]], container) { try context.save() }
                context.rollback()
                context.delete(first)
                try expectRefusal([persons[1]], container) { try context.save() }
            }
        }

        // One that takes the store's values for all has nothing to refuse.
        for policy in mergingPolicies where policy != .rollback {
            EngineCase("nobody loses a required partner to another context (\(policy))") { engine in
                try engine.withContainer(Couples.required) { container in
                    let (first, second) = (container.newContext(), container.newContext())
                    for context in [first, second] {
                        context.automaticallyMergesChangesFromParent = false
                        context.mergePolicy = policy
                    }
                    let persons = try Couples.fill(first, "aBCdEf")
                    let same = try second.all("Person")
                    persons[0][one: "spouse"] = persons[2]
                    persons[1][one: "spouse"] = persons[3]
                    same[2][one: "spouse"] = same[4]
                    same[3][one: "spouse"] = same[5]
                    try first.save()
                    // Here a and B would have none, or E and f.
                    #expect(throws: (any Error).self) { try second.save() }
                    #expect(try Couples.stored(container) == "aC Bd Ca dB Ef fE")
                    #expect(second.hasChanges)
                }
            }
        }
    }
}
