import Cambium
import EverythingModel
import Testing

extension EngineSuite {
    /// Contexts whose transactions begin with settings. What a server makes of them is its own affair:
    /// here they hide nothing.
    package static let transactionSettings = EngineSuite(
        "transaction settings", requires: .transactionSettings
    ) {
        EngineCase("contexts with settings read and save what others do") { engine in
            try engine.withStore(Everything.model) { store in
                let tenant = store.container.applying(transactionSettings: ["app.tenant": "1"])
                let context = tenant.newContext()
                #expect(context.transactionSettings == ["app.tenant": "1"])
                #expect(context.newChildContext().transactionSettings == ["app.tenant": "1"])
                let box = Box(in: context, name: "box")
                for number in 0..<3 { Node(in: context, number: Int64(number)).box = box }
                try context.save()
                try context.execute(BatchUpdateRequest<Node>().set(Node.label, to: "all"))
                let other = store.container.newContext()
                let nodes = try other.fetch(
                    Node.fetchRequest().sorted(by: Node.number).prefetching(Node.box))
                #expect(nodes.map(\.number) == [0, 1, 2])
                #expect(nodes.allSatisfy { $0.label == "all" && $0.box?.name == "box" })
                try tenant.coordinator.performTransaction { context in
                    context.delete(try context.existingObject(with: nodes[0].objectID))
                }
                #expect(try context.count(for: Node.fetchRequest()) == 2)
                try context.setQueryGeneration(.current)
                #expect(try context.count(for: Node.fetchRequest()) == 2)
            }
        }

        EngineCase("contexts with the same settings hear of each other, and of nobody else") {
            engine in
            try engine.withStore(Everything.model) { store in
                let first = store.container.applying(transactionSettings: ["app.tenant": "1"])
                    .newContext()
                let node = Node(in: first, number: 1)
                try first.save()
                func context(_ settings: TransactionSettings) throws -> (
                    ManagedObjectContext, Node
                ) {
                    let context = store.container.applying(transactionSettings: settings)
                        .newContext()
                    return (context, try context.existingObject(with: node.objectID, as: Node.self))
                }
                let same = try context(["app.tenant": "1"])
                let others = try [context(["app.tenant": "2"]), context([:])]
                node.number = 2
                try first.save()
                same.0.mergePending()
                #expect(same.1.number == 2)
                for (context, other) in others {
                    context.mergePending()
                    #expect(other.number == 1)
                    // They are in conflict as with another program.
                    other.number = 3
                    #expect(throws: ConflictError.self) { try context.save() }
                }
            }
        }

        EngineCase("a name that is no setting of a program's own is refused") { engine in
            try engine.withContainer(Everything.model) { container in
                let names = [
                    "tenant", "search_path", "row_security", "a.b'c", "a.", ".b", "1.a", "a.b c",
                    "a.\u{e9}", "", "Cambium.keys",
                ]
                for name in names {
                    let context = container.applying(transactionSettings: [:])
                        .applying(transactionSettings: TransactionSettings([name: "geheim"]))
                        .newContext()
                    let error = #expect(throws: StoreError.self, "\(name)") {
                        try context.fetch(Node.fetchRequest())
                    }
                    #expect(error?.code == .invalidRequest)
                    #expect(!"\(error as Any)".contains("geheim"))
                }
                for name in ["app.tenant", "a.b.c", "_a._1"] {
                    let context = container.applying(
                        transactionSettings: TransactionSettings([name: "o'ne"])
                    ).newContext()
                    try #expect(context.fetch(Node.fetchRequest()).isEmpty)
                }
            }
        }

        EngineCase("a store that is closed is closed for contexts with settings") { engine in
            try engine.withStore(Everything.model) { store in
                let tenant = store.container.applying(transactionSettings: ["app.tenant": "1"])
                let context = tenant.newContext()
                #expect(try context.count(for: Node.fetchRequest()) == 0)
                let opened = try #require(tenant.coordinator.persistentStores.first)
                #expect(store.container.coordinator.persistentStores == [opened])
                try tenant.coordinator.remove(opened)
                #expect(store.container.coordinator.persistentStores.isEmpty)
                let error = #expect(throws: StoreError.self) {
                    try context.count(for: Node.fetchRequest())
                }
                #expect(error?.code == .noStore)
            }
        }
    }
}
