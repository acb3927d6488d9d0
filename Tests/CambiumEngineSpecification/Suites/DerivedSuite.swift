import Cambium
import Foundation
import Testing

extension EngineSuite {
    /// After each save and batch operation every derived value is what a look at the objects says, in
    /// the context that saved, in others and in the store.
    package static let derivedValues = EngineSuite("derived values", requires: .derivedValues) {
        EngineCase("values of the row alone are there after the save") { engine in
            try engine.withContainer(Ledger.model) { container in
                let context = container.newContext()
                let names = ["", "Ann", "Anna", "Grüße, 世界 👩‍👩‍👧‍👦", "'; \\ \"%_", "e\u{301}"]
                let clients = try names.map { try context.make("Client", ["name": $0]) }
                for (client, number) in zip(clients, [0, -1, .max, .min, 1 << 62] as [Int64]) {
                    try client.setValue(.int(number), forKey: "number")
                }
                try context.save()
                try expectRight(container, context)
                for client in clients { client["name"] += "x" }
                try clients[0].setValue(.null, forKey: "number")
                try clients[5].setValue(.int(7), forKey: "number")
                try context.save()
                try expectRight(container, context)
            }
        }

        for isAtOnce in [false, true] {
            EngineCase("values of a row that two contexts have inserted again (\(isAtOnce))") {
                engine in
                try engine.withContainer(Ledger.model) { container in
                    let (first, second) = (container.newContext(), container.newContext())
                    let client = try first.make("Client", ["name": "Ann"])
                    try first.save()
                    let same = second.object(with: client.objectID)
                    #expect(same["name"] == "Ann")
                    for (context, client) in [(first, client), (second, same)] {
                        context.automaticallyMergesChangesFromParent = false
                        context.undoManager = ContextUndoManager()
                        context.delete(client)
                        try context.save()
                        context.undo()
                    }
                    (client["name"], same["name"]) = ("Anna", "Annabel")
                    second.mergePolicy = .objectTrump
                    var failure: (any Error)?
                    let observation = second.observe(.willSave) {
                        do { try first.save() } catch { failure = error }
                    }
                    if !isAtOnce { try first.save() }
                    try second.save()
                    withExtendedLifetime(observation) {}
                    if let failure { throw failure }
                    #expect(same["name"] == "Annabel")
                    try expectRight(container, second)
                }
            }
        }

        EngineCase("values follow the objects at the other end") { engine in
            try engine.withContainer(Ledger.model) { container in
                let context = container.newContext()
                let (ann, bob) = try (
                    context.make("Client", ["name": "Ann"]), context.make("Patron", ["name": "Bob"])
                )
                let (north, south) = try (
                    context.make("Region", ["name": "North"]),
                    context.make("Region", ["name": "South"])
                )
                let invoice = try ann.addInvoice(3, items: 2)
                _ = try ann.addInvoice(4)
                let labels = try (0..<3).map { _ in try context.make("Label") }
                for label in labels { try ann.many("labels").insert(label) }
                ann[one: "region"] = north
                try context.save()
                try expectRight(container, context)
                #expect(try ann.value(forKey: "total") == .decimal(7))
                let steps: [() throws -> Void] = [
                    { invoice[one: "client"] = bob },
                    { bob[one: "region"] = north },
                    { north["name"] = "Far north" },
                    { bob[one: "region"] = south },
                    { try labels[0].setValue(.int(5), forKey: "weight") },
                    { try bob.many("labels").insert(labels[0]) },
                    { try ann.many("labels").remove(labels[1]) },
                    { context.delete(labels[0]) },
                    { bob["name"] = "Bobby" },
                    { try invoice.setValue(.decimal(9), forKey: "amount") },
                    { try bob.setValue(.int(3), forKey: "level") },
                    { context.delete(try #require(try invoice.many("items").first)) },
                    { context.delete(south) },
                    { context.delete(invoice) },
                    { context.delete(bob) },
                ]
                for (number, step) in steps.enumerated() {
                    try step()
                    try context.save()
                    try expectRight(container, context, "step \(number)")
                }
            }
        }

        EngineCase("other contexts learn of values that nobody wrote, and no version changes") {
            engine in
            try engine.withContainer(Ledger.model) { container in
                let (ours, theirs) = (container.newContext(), container.newContext())
                theirs.automaticallyMergesChangesFromParent = true
                let ann = try ours.make("Client", ["name": "Ann"])
                try ours.save()
                let other = theirs.object(with: ann.objectID)
                #expect(other["name"] == "Ann")
                _ = try ann.addInvoice(5)
                try ours.save()
                theirs.mergePending()
                #expect(try other.value(forKey: "total") == .decimal(5))
                // The object that was read before is saved without a conflict.
                let third = container.newContext()
                let same = third.object(with: ann.objectID)
                #expect(same["name"] == "Ann")
                _ = try ann.addInvoice(6)
                try ours.save()
                same["name"] = "Anna"
                try third.save()
                try expectRight(container, third)
            }
        }

        EngineCase("conditions and orders read derived values") { engine in
            try engine.withContainer(Ledger.model) { container in
                let context = container.newContext()
                for count in 0..<4 {
                    let client = try context.make("Client", ["name": "\(count)"])
                    for _ in 0..<count { _ = try client.addInvoice(1) }
                }
                try context.save()
                let request = FetchRequest<ManagedObject>(entityName: "Client")
                    .filter(format: "invoiceCount > 1 AND total < 3 AND shout == '2'")
                #expect(try container.newContext().fetch(request).map { $0["name"] } == ["2"])
            }
        }

        EngineCase("the moment is that of each save that writes the row") { engine in
            try engine.withContainer(Ledger.model) { container in
                let context = container.newContext()
                let ann = try context.make("Client", ["name": "Ann"])
                let before = Date()
                try context.save()
                let first = try ann.value(forKey: "savedAt")
                guard case .date(let date) = first else {
                    Issue.record("There is no date.")
                    return
                }
                #expect(abs(date.timeIntervalSince(before)) < 60)
                _ = try context.make("Client", ["name": "Bob"])
                try context.save()
                #expect(try ann.value(forKey: "savedAt") == first)
                ann["name"] = "Anna"
                try context.save()
                #expect(try ann.value(forKey: "savedAt") != first)
            }
        }

        EngineCase("objects that exchange unique values keep their derived ones") { engine in
            try engine.withContainer(Ledger.model) { container in
                let context = container.newContext()
                let clients = try (0..<3).map { number in
                    let client = try context.make(
                        "Client", ["name": "client \(number)", "code": "\(number)"])
                    _ = try client.addInvoice(Decimal(number), items: number)
                    return client
                }
                try context.save()
                for (number, client) in clients.enumerated() {
                    client["code"] = "\((number + 1) % 3)"
                    client["name"] += "!"
                }
                try context.save()
                try expectRight(container, context)
            }
        }

        EngineCase("a save that fails leaves the values as they were") { engine in
            try engine.withContainer(Ledger.model) { container in
                let context = container.newContext()
                let ann = try context.make("Client", ["name": "Ann", "code": "1"])
                try context.save()
                _ = try ann.addInvoice(1)
                _ = try context.make("Client", ["name": "Bob", "code": "1"])
                #expect(throws: ConstraintConflictError.self) { try context.save() }
                #expect(try ann.value(forKey: "invoiceCount") == .int(0))
                let reader = container.newContext()
                let read = reader.object(with: ann.objectID)
                #expect(try read.value(forKey: "invoiceCount") == .int(0))
            }
        }

        EngineCase("a conflict that is resolved leaves the right values") { engine in
            for policy in [MergePolicy.objectTrump, .storeTrump] {
                try engine.withContainer(Ledger.model) { container in
                    let (ours, theirs) = (container.newContext(), container.newContext())
                    let ann = try ours.make("Client", ["name": "Ann"])
                    let bob = try ours.make("Client", ["name": "Bob"])
                    let invoice = try ann.addInvoice(1, items: 1)
                    try ours.save()
                    let same = theirs.object(with: invoice.objectID)
                    same[one: "client"] = theirs.object(with: bob.objectID)
                    theirs.object(with: ann.objectID)["name"] = "Theirs"
                    invoice[one: "client"] = nil
                    ann["name"] = "Ours"
                    try ours.save()
                    theirs.mergePolicy = policy
                    try theirs.save()
                    try expectRight(container, theirs)
                }
            }
        }

        EngineCase("batch operations leave the right values") { engine in
            guard try EngineCapability.batches.isOffered(by: engine) else { return }
            try engine.withContainer(Ledger.model) { container in
                let context = container.newContext()
                let ann = try context.make("Client", ["name": "Ann"])
                _ = try ann.addInvoice(2, items: 2)
                try context.save()
                try context.execute(
                    BatchInsertRequest<ManagedObject>(
                        entityName: "Invoice",
                        objects: (0..<100).map {
                            ["amount": .decimal(Decimal($0)), "client": .int(ann.objectID.key)]
                        }))
                try expectRight(container, context)
                try context.execute(
                    BatchUpdateRequest<ManagedObject>(entityName: "Client")
                        .setValue(.string("Changed"), forKey: "name"))
                try expectRight(container, context)
                try context.execute(
                    BatchUpdateRequest<ManagedObject>(entityName: "Invoice")
                        .setValue(.decimal(1), forKey: "amount"))
                try expectRight(container, context)
                let request = FetchRequest<ManagedObject>(entityName: "Invoice")
                    .filter(format: "itemCount == 0")
                try context.execute(BatchDeleteRequest(request))
                try expectRight(container, context)
                #expect(try ann.value(forKey: "invoiceCount") == .int(1))
            }
        }

        EngineCase("whatever is done, the values are those of the objects") { engine in
            let seed = UInt64.random(in: 0...999_999)
            var generator = SplitMix(state: seed)
            try engine.withContainer(Ledger.model) { container in
                let contexts = [container.newContext(), container.newContext()]
                for context in contexts {
                    context.automaticallyMergesChangesFromParent = true
                    context.mergePolicy = .objectTrump
                }
                for step in 0..<40 {
                    let context = contexts[Int.random(in: 0...1, using: &generator)]
                    context.mergePending()
                    for _ in 0...Int.random(in: 0..<6, using: &generator) {
                        try change(context, &generator)
                    }
                    try context.save()
                    let wrong = try (contexts + [container.newContext()]).flatMap { each in
                        each.mergePending()
                        return try Ledger.wrongValues(in: each)
                    }
                    #expect(wrong.isEmpty, "seed \(seed), step \(step)")
                    if !wrong.isEmpty { return }
                }
            }
        }
    }
}

/// Expects that all derived values are right in a context, and in one that has read nothing.
private func expectRight(
    _ container: PersistentContainer, _ context: ManagedObjectContext, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    for each in [context, container.newContext()] {
        each.mergePending()
        #expect(
            try Ledger.wrongValues(in: each) == [], Comment(rawValue: comment),
            sourceLocation: sourceLocation)
    }
}

extension ManagedObject {
    fileprivate func addInvoice(_ amount: Decimal, items: Int = 0) throws -> ManagedObject {
        let context = try #require(managedObjectContext)
        let invoice = try context.make("Invoice")
        try invoice.setValue(.decimal(amount), forKey: "amount")
        invoice[one: "client"] = self
        for _ in 0..<items { try context.make("Item")[one: "invoice"] = invoice }
        return invoice
    }
}

/// Does something to a few objects.
private func change(_ context: ManagedObjectContext, _ generator: inout SplitMix) throws {
    func any(_ entity: String) throws -> ManagedObject? {
        try context.all(entity).randomElement(using: &generator)
    }
    let number = Int.random(in: 0..<100, using: &generator)
    switch number % 14 {
    case 0: _ = try context.make(number < 50 ? "Client" : "Patron", ["name": "c\(number)"])
    case 1, 2: _ = try any("Client")?.addInvoice(Decimal(number), items: number % 3)
    case 3: try any("Invoice")?.setValue(.decimal(Decimal(number)), forKey: "amount")
    case 4: try any("Invoice")?[one: "client"] = number < 80 ? any("Client") : nil
    case 5: try any("Client")?["name"] = "n\(number)"
    case 6: if number < 40, let client = try any("Client") { context.delete(client) }
    case 7: if let invoice = try any("Invoice") { context.delete(invoice) }
    case 8: if let item = try any("Item") { context.delete(item) }
    case 9: try any("Item")?[one: "invoice"] = any("Invoice")
    case 10:
        _ = try number < 50 ? context.make("Label") : context.make("Region", ["name": "r\(number)"])
    case 11: try any("Client")?[one: "region"] = any("Region")
    case 12:
        if let label = try any("Label") {
            try label.setValue(.int(Int64(number)), forKey: "weight")
        }
        try any("Region")?["name"] = "r\(number)"
    default:
        guard let client = try any("Client"), let label = try any("Label") else { return }
        if number < 70 {
            try client.many("labels").insert(label)
        } else {
            try client.many("labels").remove(label)
        }
    }
}

/// Random numbers that a seed brings back.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
