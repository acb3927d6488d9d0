import Cambium
import EverythingModel
import Testing

extension EngineSuite {
    /// What an engine cannot do is an error that says so, and changes nothing.
    package static let lacking = EngineSuite("what an engine lacks") {

        EngineCase("batch operations", without: .batches) { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let node = Node(in: context, number: 3)
                try context.save()
                func expectError(_ work: () throws -> BatchResult) {
                    let error = #expect(throws: StoreError.self) { try work() }
                    #expect(error?.code == .invalidRequest)
                }
                expectError { try context.execute(BatchInsertRequest<Node>(0..<1) { _, _ in }) }
                expectError {
                    try context.execute(BatchUpdateRequest<Node>().set(Node.number, to: 1))
                }
                expectError { try context.execute(BatchDeleteRequest<Node>()) }
                #expect(node.number == 3)
                try #expect(container.newContext().fetch(Node.fetchRequest()).map(\.number) == [3])
            }
        }

        EngineCase("query generations", without: .generations) { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let error = #expect(throws: StoreError.self) {
                    try context.setQueryGeneration(.current)
                }
                #expect(error?.code == .invalidRequest)
                #expect(context.queryGeneration == .unpinned)
                try #expect(context.fetch(Node.fetchRequest()).isEmpty)
            }
        }

        EngineCase("transaction settings", without: .transactionSettings) { engine in
            try engine.withContainer(Everything.model) { container in
                let node = Node(in: container.newContext(), number: 3)
                let id = node.objectID
                func expectError(_ work: (ManagedObjectContext) throws -> Void) {
                    let context = container.applying(transactionSettings: ["app.tenant": "1"])
                        .newContext()
                    let error = #expect(throws: StoreError.self) { try work(context) }
                    #expect(error?.code == .invalidRequest)
                    #expect("\(error as Any)".contains("transaction settings"))
                }
                expectError { _ = try $0.fetch(Node.fetchRequest()) }
                expectError { _ = try $0.count(for: Node.fetchRequest()) }
                expectError { _ = try $0.existingObject(with: id) }
                expectError { context in
                    _ = Node(in: context)
                    try context.save()
                }
                expectError { try $0.execute(BatchDeleteRequest<Node>()) }
                expectError { _ = try $0.coordinator.performTransaction { _ in } }
                expectError { context in
                    try context.setQueryGeneration(.current)
                    _ = try context.fetch(Node.fetchRequest())
                }
                expectError { _ = try $0.fetchHistory(HistoryRequest()) }
                // The others go on.
                try #expect(container.newContext().fetch(Node.fetchRequest()).isEmpty)
            }
        }

        EngineCase("a history") { engine in
            try engine.withContainer(Everything.model) { container in
                let error = #expect(throws: StoreError.self) { try container.history() }
                #expect(error?.code == .noHistory)
                #expect(throws: StoreError.self) { try container.historyToken }
            }
        }
    }
}
