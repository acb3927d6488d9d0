import CambiumEngineSpecification
import CambiumExchange
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// Stores that become stores of PostgreSQL, and back; files of objects.
struct MoveTests {
    private func schema() -> String { "moves \(UUID().uuidString)" }

    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "store.sqlite").path())
    }

    /// Everything of some entities, as a text.
    private func content(_ container: PersistentContainer) throws -> String {
        let context = container.newContext()
        var lines: [String] = []
        for node in try context.fetch(Node.fetchRequest().sorted(by: Node.number)) {
            lines.append(
                "\(node.objectID.key) \(node.number) \(node.label) \(node.box?.name ?? "-") "
                    + "\(node.next?.number ?? -1) \(node.queue.map(\.name)) "
                    + "\(node.tags.map(\.name).sorted()) \(node.follows.map(\.number).sorted())")
        }
        for topic in try context.fetch(Topic.fetchRequest().sorted(by: Topic.name)) {
            lines.append("\(topic.name) \(topic.boxes.map(\.name))")
        }
        for sample in try context.fetch(Sample.fetchRequest().sorted(by: Sample.long)) {
            lines.append(
                "\(sample.long) \(sample.double) \(sample.single) \(sample.amount) "
                    + "\(sample.text) \(sample.moment.timeIntervalSinceReferenceDate) "
                    + "\(sample.token) \(sample.bytes.map { $0.count } ?? -1) "
                    + "\(sample.maybeText ?? "-") \(sample.flag)")
        }
        for being in try context.fetch(Being.fetchRequest().sorted(by: Being.name)) {
            lines.append("\(type(of: being)) \(being.objectID.key) \(being.name)")
        }
        return lines.joined(separator: "\n")
    }

    private func fill(_ container: PersistentContainer) throws {
        let context = container.newContext()
        let topics = (0..<5).map { Topic(in: context, name: "t\($0)") }
        let boxes = (0..<4).map { Box(in: context, name: "b\($0)") }
        topics[0].boxes.replace(with: [boxes[2], boxes[0], boxes[3]])
        let nodes = (0..<1_200).map { Node(in: context, label: "n", number: Int64($0)) }
        for (index, node) in nodes.enumerated() {
            node.box = boxes[index % 4]
            if index % 3 == 0 {
                node.queue.replace(with: [topics[4], topics[index % 4], topics[3 - index % 4]])
            }
            node.tags.replace(with: [topics[index % 5]])
            node.follows.replace(
                with: [nodes[(index + 1) % nodes.count], nodes[(index * 7) % nodes.count]])
            if index < 500 { node.next = nodes[index + 500] }
        }
        for number in 0..<10 {
            let sample = Sample(in: context, long: number == 0 ? .min : Int64(number))
            sample.double = [-.infinity, .infinity, 1e-300, -0.0, 1.5][number % 5]
            sample.text = ["", "e\u{301}\u{1F600}'\\%", "x"][number % 3]
            sample.moment = Date(timeIntervalSinceReferenceDate: Double(number) * 1_000.000_001)
            if number == 3 { sample.bytes = Data(repeating: 7, count: 3_000_000) }
        }
        _ = Robot(in: context, name: "r", serial: "1")
        try context.save()
        // Keys that were given are not given again.
        let last = Topic(in: context, name: "gone")
        try context.save()
        context.delete(last)
        try context.save()
        let store = try #require(container.coordinator.persistentStores.first)
        container.coordinator.setMetadata(["note": "kept"], for: store)
    }

    @Test(arguments: PostgresServer.some())
    func `a store moves to a server and back with all that it has`(_ server: PostgresServer) throws
    {
        try withFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .file(path))
            try fill(container)
            let before = try content(container)
            let coordinator = container.coordinator
            var store = try #require(coordinator.persistentStores.first)
            for location in [
                StoreLocation.postgres(server.url, schema: schema()),
                .postgres(server.url, schema: schema()), .file(path + ".back"),
            ] {
                store = try coordinator.migratePersistentStore(store, to: location)
                #expect(try content(container) == before)
                #expect(try coordinator.metadata(for: store).notes == ["note": "kept"])
                // What the file refused would be refused here.
                #expect(try store.differences() == [])
            }
            let context = container.newContext()
            let topic = Topic(in: context, name: "new")
            try context.save()
            #expect(topic.objectID.key > 6)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a move says how far it is, and what was moved`(_ server: PostgresServer) throws {
        try withFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .file(path))
            try fill(container)
            let coordinator = container.coordinator
            var reports: [MoveReport] = []
            for location in [
                StoreLocation.postgres(server.url, schema: schema()), .file(path + ".back"),
            ] {
                let store = try #require(coordinator.persistentStores.first)
                let seen = Mutex<[MoveProgress]>([])
                let moved = try coordinator.migratePersistentStore(store, to: location) {
                    progress in seen.withLock { $0.append(progress) }
                }
                let all = seen.withLock { $0 }
                #expect(Set(all.map(\.phase)) == Set(MoveProgress.Phase.allCases))
                #expect(zip(all, all.dropFirst()).allSatisfy { $0.fraction <= $1.fraction })
                #expect(all.allSatisfy { (0...1).contains($0.fraction) })
                reports.append(try #require(moved.moveReport))
            }
            #expect(reports[0].tables == reports[1].tables)
            #expect(reports[1].roundedDates == 0)
            let counts = Dictionary(
                uniqueKeysWithValues: reports[0].tables.map { ($0.name, $0.rowCount) })
            #expect(counts["Node"] == 1_200)
            #expect(Set(reports[0].tables.map(\.checksum)).count > 5)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `the history starts over, and what is saved afterwards is in it`(
        _ server: PostgresServer
    ) throws {
        try withFile { path in
            var description = StoreDescription(location: .file(path))
            description.options.history = .values
            let container = try PersistentContainer(Everything.model, description)
            let context = container.newContext()
            _ = Box(in: context, name: "one")
            try context.save()
            var last = try container.historyToken
            for location in [
                StoreLocation.postgres(server.url, schema: schema()), .file(path + ".back"),
            ] {
                let store = try #require(container.coordinator.persistentStores.first)
                var options = StoreOptions()
                options.history = .asStored
                let moved = try container.coordinator.migratePersistentStore(
                    store, to: location, options: options)
                // It is of a store that is no more, so it says nothing of this one.
                #expect(!last.storeIdentifiers.contains(moved.identifier))
                last = try container.historyToken
                #expect(last.storeIdentifiers == [moved.identifier])
                _ = Box(in: context, name: "two")
                try context.save()
                #expect(try container.history(after: last).count == 1)
            }
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a move whose task is cancelled leaves the old store open, and nothing new`(
        _ server: PostgresServer
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "store.sqlite").path()
        let container = try PersistentContainer(model: Everything.model, at: .file(path))
        try fill(container)
        let schema = schema()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let store = try #require(container.coordinator.persistentStores.first)
            let error = #expect(throws: StoreLoadingError.self) {
                try container.coordinator.migratePersistentStore(
                    store, to: .postgres(server.url, schema: schema))
            }
            #expect(error?.underlying is CancellationError)
        }
        try await task.value
        let found = try server.connect().run(
            "SELECT count(*) FROM pg_namespace WHERE nspname = '\(schema)'")
        #expect(found.integer(0, 0) == 0)
        #expect(try container.newContext().count(for: Node.fetchRequest()) == 1_200)
    }

    @Test(arguments: PostgresServer.some())
    func `large values move from files to rows and back`(_ server: PostgresServer) throws {
        try withFile { path in
            let container = try PersistentContainer(model: Chronicle.model, at: .file(path))
            let context = container.newContext()
            let covers: [Data?] = [
                Data(repeating: 9, count: 2_000_000), Data(0...255), Data(), nil,
            ]
            for (number, cover) in covers.enumerated() {
                let book = try context.addBook("b\(number)", entity: "Novel")
                try book.setValue(cover.map { .data($0) } ?? .null, forKey: "cover")
            }
            try context.save()
            var store = try #require(container.coordinator.persistentStores.first)
            for location in [
                StoreLocation.postgres(server.url, schema: schema()), .file(path + ".back"),
            ] {
                store = try container.coordinator.migratePersistentStore(store, to: location)
                let books = try container.newContext().fetch(
                    FetchRequest<ManagedObject>(entityName: "Book"))
                var found: [String: Value] = [:]
                for book in books {
                    guard case .string(let title) = try book.value(forKey: "title") else {
                        continue
                    }
                    found[title] = try book.value(forKey: "cover")
                }
                for (number, cover) in covers.enumerated() {
                    #expect(found["b\(number)"] == cover.map { .data($0) } ?? .null)
                }
            }
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a move that fails leaves nothing, and nothing of others is removed`(
        _ server: PostgresServer
    ) throws {
        let (used, mine) = (schema(), schema())
        let connection = try server.connect()
        _ = try connection.run("CREATE SCHEMA \"\(mine)\"")
        _ = try connection.run("CREATE TABLE \"\(mine)\".own (number bigint)")
        let other = try PersistentContainer(
            model: Everything.model, at: .postgres(server.url, schema: used))
        let context = other.newContext()
        _ = Box(in: context, name: "theirs")
        try context.save()
        try withFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .file(path))
            try fill(container)
            let store = try #require(container.coordinator.persistentStores.first)
            // It has objects already.
            let error = #expect(throws: StoreLoadingError.self) {
                try container.coordinator.migratePersistentStore(
                    store, to: .postgres(server.url, schema: used))
            }
            let refusal = error?.underlying as? StoreError
            #expect(refusal?.message.contains("already has objects of Box") == true)
            #expect(try other.newContext().count(for: Box.fetchRequest()) == 1)
        }
        // What an opener has made it removes; what was there stays.
        for (schema, exists) in [(mine, true), (self.schema(), false)] {
            let opener = PostgresOpener(
                PostgresSettings(server.url), schema: schema,
                Everything.model.modelDescription, StoreOptions())
            try opener.open().store.close()
            opener.removeNewStore()
            var name = PostgresParameters()
            name.append(.text(schema), as: .text)
            let rows = try connection.run(
                """
                SELECT count(*), (SELECT count(*) FROM pg_tables WHERE schemaname = $1) \
                FROM pg_namespace WHERE nspname = $1
                """, name)
            #expect(rows.integer(0, 0) == (exists ? 1 : 0))
            #expect(rows.integer(0, 1) == (exists ? 1 : 0))
        }
        let opener = PostgresOpener(
            PostgresSettings(server.url), schema: used, Everything.model.modelDescription,
            StoreOptions())
        try opener.open().store.close()
        opener.removeNewStore()
        #expect(try other.newContext().count(for: Box.fetchRequest()) == 1)
    }

    @Test(arguments: PostgresServer.some())
    func `a value that the server cannot hold is named, and nothing is left`(
        _ server: PostgresServer
    ) throws {
        let far = Date(timeIntervalSinceReferenceDate: 1e13)
        let cases: [(String, Value, ValidationError.Code)] = [
            ("moment", .date(far), .dateTooLate),
            ("moment", .date(Date(timeIntervalSinceReferenceDate: -1e12)), .dateTooSoon),
            ("text", .string("a\0b"), .nulInText), ("amount", .decimal(.nan), .numberTooSmall),
            ("double", .double(.nan), .numberTooSmall),
        ]
        for (name, value, code) in cases {
            let source = DictionaryStore()
            let container = try PersistentContainer(
                Everything.model, StoreDescription(type: source.type, location: .memory))
            let context = container.newContext()
            let samples = (0..<3).map { Sample(in: context, long: Int64($0)) }
            try context.save()
            let key = samples[1].objectID.key
            source.contents.withLock { $0.nodes["Sample"]?[key]?.values[name] = value }
            let schema = schema()
            let store = try #require(container.coordinator.persistentStores.first)
            let error = #expect(throws: StoreLoadingError.self, "\(value)") {
                try container.coordinator.migratePersistentStore(
                    store, to: .postgres(server.url, schema: schema))
            }
            let refusal = error?.underlying as? ValidationError
            #expect(refusal?.code == code, "\(value): \(String(describing: error?.underlying))")
            #expect(refusal?.property == name)
            #expect(refusal?.entityName == "Sample")
            #expect(refusal?.objectID?.key == key)
            let found = try server.connect().run(
                "SELECT count(*) FROM pg_namespace WHERE nspname = '\(schema)'")
            #expect(found.integer(0, 0) == 0)
            #expect(container.coordinator.persistentStores.count == 1)
            // It can go on where it was.
            source.contents.withLock { $0.nodes["Sample"]?[key]?.values[name] = nil }
            #expect(try container.newContext().count(for: Sample.fetchRequest()) == 3)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a date that only a file can keep is named, with its object`(
        _ server: PostgresServer
    ) throws {
        try withFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .file(path))
            let context = container.newContext()
            let sample = Sample(in: context, long: 1)
            sample.moment = Date(timeIntervalSinceReferenceDate: -1e14)
            try context.save()
            let store = try #require(container.coordinator.persistentStores.first)
            let error = #expect(throws: StoreLoadingError.self) {
                try container.coordinator.migratePersistentStore(
                    store, to: .postgres(server.url, schema: schema()))
            }
            #expect((error?.underlying as? ValidationError)?.objectID == sample.objectID)
            let kept = try container.newContext().fetch(Sample.fetchRequest())
            #expect(kept.map(\.moment) == [sample.moment])
        }
    }

    @Test(arguments: PostgresServer.some())
    func `what another program has changed is told`(_ server: PostgresServer) throws {
        let schema = schema()
        let container = try PersistentContainer(
            model: Everything.model, at: .postgres(server.url, schema: schema))
        let store = try #require(container.coordinator.persistentStores.first)
        #expect(try store.differences() == [])
        let connection = try server.connect()
        for sql in [
            "CREATE TABLE \"\(schema)\".theirs (number bigint)",
            "ALTER TABLE \"\(schema)\".\"Box\" ADD COLUMN more bigint",
            "ALTER TABLE \"\(schema)\".\"Topic\" ALTER COLUMN name DROP NOT NULL",
            "CREATE INDEX their_index ON \"\(schema)\".\"Node\" (number, label)",
        ] { _ = try connection.run(sql) }
        #expect(
            try store.differences().map(\.description) == [
                "Box (changed: more added)", "Topic (changed: name changed)",
                "their_index (foreign)", "theirs (foreign)",
            ])
    }

    // MARK: Files of objects

    @Test(arguments: PostgresServer.some(), [ExchangeFormat.jsonLines, .csv()])
    func `objects are exported to a file, and imported from it`(
        _ server: PostgresServer, _ format: ExchangeFormat
    ) throws {
        try withFile { path in
            let container = try PersistentContainer(
                model: Everything.model, at: .postgres(server.url, schema: schema()))
            let context = container.newContext()
            for number in 0..<5_000 {
                _ = Robot(in: context, name: "r\(number) \"e\u{301}\", \n", serial: "\(number)")
            }
            try context.save()
            let file = path + ".txt"
            let written = try context.execute(
                ExportRequest(Robot.fetchRequest().sorted(by: Robot.serial), as: format), to: file)
            #expect(written.count == 5_000)
            // Those that exist are found by their serial, and changed.
            for robot in try context.fetch(Robot.fetchRequest()) {
                robot.name = "other"
                if robot.objectID.key % 2 == 0 { context.delete(robot) }
            }
            try context.save()
            let result = try container.newContext().execute(
                ImportRequest(Robot.self, from: .file(file), as: format))
            #expect(result.inserted == 2_500)
            #expect(result.updated == 2_500)
            let again = try container.newContext()
                .fetch(Robot.fetchRequest().sorted(by: Robot.serial))
            #expect(again.count == 5_000)
            #expect(again.allSatisfy { $0.name == "r\($0.serial) \"e\u{301}\", \n" })
        }
    }
}
