import Cambium
import EverythingModel
import Foundation
import Testing

struct SnapshotTests {
    private let moment = Date(timeIntervalSinceReferenceDate: 1000)

    private func withSample(_ body: (ManagedObjectContext, Sample) throws -> Void) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(
                in: context, short: 7, single: 0.1, amount: 12.5, text: "one", moment: moment,
                token: UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"),
                link: URL(string: "https://example.org/a"), bytes: Data([1, 2, 3]),
                colour: .green, maybeAmount: 0.5)
            try body(context, sample)
        }
    }

    private func json(_ snapshot: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(snapshot), as: UTF8.self)
    }

    private func decoded<Entity: ManagedObject>(
        _ json: String, _ type: Entity.Type
    ) throws -> Snapshot<Entity> {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Snapshot<Entity>.self, from: Data(json.utf8))
    }

    @Test func `values are read with the types of the class`() throws {
        try withSample { _, sample in
            let snapshot = Sample.Snapshot(sample)
            let text: String = snapshot.text
            let missing: String? = snapshot.maybeText
            #expect(text == "one")
            #expect(missing == nil)
            #expect(snapshot.short == 7)
            #expect(snapshot.amount == 12.5)
            #expect(snapshot.moment == moment)
            #expect(snapshot.colour == .green)
            #expect(snapshot.size == .large)
            #expect(snapshot.bytes == Data([1, 2, 3]))
            #expect(snapshot.link?.absoluteString == "https://example.org/a")
            #expect(snapshot.maybeAmount == 0.5)
            #expect(snapshot.objectID == sample.objectID)
        }
    }

    @Test func `a snapshot keeps its values when the object changes`() throws {
        try withSample { context, sample in
            let snapshot = sample.snapshot
            sample.text = "two"
            try context.save()
            #expect(snapshot.text == "one")
            #expect(sample.snapshot != snapshot)
        }
    }

    @Test func `setting changes one copy and neither the other nor the object`() throws {
        try withSample { _, sample in
            let first = sample.snapshot
            var second = first
            second.text = String(repeating: "long ", count: 1000)
            second.maybeAmount = nil
            second.colour = .red
            #expect(first.text == "one")
            #expect(sample.text == "one")
            #expect(second.text.count == 5000)
            #expect(second.maybeAmount == nil)
            #expect(second.colour == .red)
            #expect(second.short == 7)
            #expect(first != second)
            second.text = "one"
            second.maybeAmount = 0.5
            second.colour = .green
            #expect(first == second)
            #expect(first.hashValue == second.hashValue)
        }
    }

    @Test func `relationships to one object read as its identity`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let box = Box(in: context, name: "box")
            let node = Node(in: context, label: "a", box: box)
            let next = Node(in: context, label: "b")
            node.next = next
            try context.save()
            #expect(node.snapshot.box == box.objectID)
            #expect(node.snapshot.next == next.objectID)
            // The key of this one-to-one is kept on the other side.
            #expect(next.snapshot.previous == node.objectID)
            #expect(next.snapshot.box == nil)
            let robot = Robot(in: context, name: "R", serial: "1")
            let home = Home(in: context, owner: robot)
            #expect(home.snapshot.owner == robot.objectID)
            #expect(home.snapshot.owner?.entityName == "Robot")
        }
    }

    @Test func `a snapshot crosses to an actor and back`() async throws {
        actor Desk {
            func corrected(_ snapshot: Sample.Snapshot) -> Sample.Snapshot {
                var snapshot = snapshot
                snapshot.text = snapshot.text.uppercased()
                return snapshot
            }
        }
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let made = try await container.performBackgroundTask { context in
            let sample = Sample(in: context, text: "one")
            try context.save()
            return sample.snapshot
        }
        let corrected = await Desk().corrected(made)
        let text = try await container.performBackgroundTask { context in
            let id = try #require(corrected.objectID)
            let sample = try context.existingObject(with: id, as: Sample.self)
            try sample.update(from: corrected)
            return sample.text
        }
        #expect(text == "ONE")
    }

    @Test func `many readers may share a snapshot`() async throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let snapshot = try await container.performBackgroundTask { context in
            Sample(in: context, text: "shared").snapshot
        }
        let lengths = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<200).reduce(0) { sum, _ in sum + snapshot.text.count } }
            }
            return await group.reduce(0, +)
        }
        #expect(lengths == 8 * 200 * 6)
    }

    // MARK: Into objects

    @Test func `an update sets only what differs`() throws {
        try withSample { context, sample in
            try context.save()
            try sample.update(from: sample.snapshot)
            #expect(!sample.hasChanges)
            var snapshot = sample.snapshot
            snapshot.text = "two"
            snapshot.bytes = nil
            try sample.update(from: snapshot)
            #expect(Set(sample.changedValues().keys) == ["text", "bytes"])
            try context.save()
            #expect(sample.text == "two")
            #expect(sample.bytes == nil)
        }
    }

    @Test func `an update links by identity and keeps inverses in step`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let first = Box(in: context, name: "first")
            let second = Box(in: context, name: "second")
            let node = Node(in: context, box: first)
            try context.save()
            var snapshot = node.snapshot
            snapshot.box = second.objectID
            try node.update(from: snapshot)
            #expect(node.box === second)
            #expect(first.nodes.isEmpty)
            #expect(second.nodes.contains(node))
            snapshot.box = nil
            try node.update(from: snapshot)
            #expect(node.box == nil)
        }
    }

    @Test func `an object is inserted from a snapshot with an identity of its own`() throws {
        try withSample { context, sample in
            let copy = try Sample(in: context, sample.snapshot)
            #expect(copy.objectID != sample.objectID)
            #expect(copy.text == "one")
            #expect(copy.amount == 12.5)
            #expect(copy.isInserted)
            try context.save()
            #expect(copy.token == sample.token)
        }
    }

    @Test func `a snapshot of another store is refused for updates and welcome for inserting`()
        throws
    {
        try withSample { _, sample in
            try withContainer(Everything.model) { other in
                let context = other.newContext()
                let here = Sample(in: context)
                let error = #expect(throws: StoreError.self) {
                    try here.update(from: sample.snapshot)
                }
                #expect(error?.code == .objectOfAnotherContext)
                let copy = try Sample(in: context, sample.snapshot)
                #expect(copy.text == "one")
            }
        }
    }

    @Test func `a link into another store is refused before anything is set`() throws {
        try withContainer(Everything.model) { other in
            let foreign = Box(in: other.newContext())
            try withContainer(Everything.model) { container in
                let context = container.newContext()
                let node = Node(in: context, label: "a")
                var snapshot = node.snapshot
                snapshot.label = "b"
                snapshot.box = foreign.objectID
                let error = #expect(throws: StoreError.self) { try node.update(from: snapshot) }
                #expect(error?.code == .objectOfAnotherContext)
                #expect(node.label == "a")
                #expect(throws: StoreError.self) { try Node(in: context, snapshot) }
                #expect(context.insertedObjects.count == 1)
            }
        }
    }

    @Test func `a snapshot and a link of another entity are refused`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let robot: Being = Robot(in: context, name: "R", serial: "1")
            let person: Being = Person(in: context, name: "P")
            let error = #expect(throws: StoreError.self) {
                try person.update(from: robot.snapshot)
            }
            #expect(error?.code == .invalidRequest)
            var snapshot = Node(in: context).snapshot
            snapshot.box = robot.objectID
            #expect(throws: StoreError.self) { try Node(in: context, snapshot) }
        }
    }

    @Test func `a decimal that does not fit makes the save fail, not the snapshot`() throws {
        try withSample { context, sample in
            var snapshot = sample.snapshot
            snapshot.amount = 0.001
            #expect(snapshot.amount == 12.5)
            try sample.update(from: snapshot)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .unfitDecimal)
        }
    }

    // MARK: JSON

    @Test func `the JSON is natural`() throws {
        try withSample { _, sample in
            var snapshot = sample.snapshot
            snapshot.maybeText = nil
            let id = try #require(snapshot.objectID)
            #expect(
                try json(snapshot) == """
                    {
                      "amount" : 12.5,
                      "bytes" : "AQID",
                      "colour" : "GREEN",
                      "double" : 0,
                      "flag" : false,
                      "link" : "https://example.org/a",
                      "long" : 0,
                      "maybeAmount" : 0.5,
                      "medium" : 0,
                      "moment" : "2001-01-01T00:16:40Z",
                      "objectID" : "\(id.uri)",
                      "short" : 7,
                      "single" : 0.1,
                      "size" : 20,
                      "text" : "one",
                      "token" : "00112233-4455-6677-8899-AABBCCDDEEFF"
                    }
                    """)
        }
    }

    @Test func `what was encoded decodes to an equal snapshot`() throws {
        try withSample { _, sample in
            let snapshot = sample.snapshot
            let back = try decoded(json(snapshot), Sample.self)
            #expect(back == snapshot)
        }
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let home = Home(in: context, owner: Robot(in: context, name: "R", serial: "1"))
            let back = try decoded(json(home.snapshot), Home.self)
            #expect(back == home.snapshot)
            let being: Being = Robot(in: context, name: "R", serial: "2")
            let robot = try decoded(json(being.snapshot), Being.self)
            #expect(robot == being.snapshot)
            #expect(robot.entityName == "Robot")
        }
    }

    @Test func `what is left out has its default, and unknown names are ignored`() throws {
        let snapshot = try decoded(#"{"short": 3, "unheardOf": {"x": [1]}}"#, Sample.self)
        #expect(snapshot.short == 3)
        #expect(snapshot.size == .large)
        #expect(snapshot.maybeText == nil)
        #expect(snapshot.objectID == nil)
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = try Sample(in: context, snapshot)
            #expect(sample.short == 3)
            try context.save()
        }
    }

    @Test func `a required value that is missing is an error that names it`() {
        let error = #expect(throws: DecodingError.self) {
            try decoded(#"{"name": "R"}"#, Robot.self)
        }
        guard case .keyNotFound(let key, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "serial")
    }

    @Test(arguments: [
        #"{"short": 70000}"#, #"{"short": "x"}"#, #"{"amount": 0.001}"#, #"{"colour": "blue"}"#,
        #"{"size": 2}"#, #"{"token": "x"}"#, #"{"objectID": "x"}"#,
        #"{"objectID": "x-cambium://6E1B0C52-0B9C-4A5C-8C52-0E4A3D8A4B11/Box/p1"}"#,
    ])
    func `a value that does not fit is an error`(json: String) {
        #expect(throws: DecodingError.self) { try decoded(json, Sample.self) }
    }

    @Test func `an identity is its text`() throws {
        try withSample { context, sample in
            let id = sample.objectID
            let data = try JSONEncoder().encode([id])
            #expect(try JSONDecoder().decode([ObjectID].self, from: data) == [id])
            let store = try #require(context.coordinator.persistentStores.first?.identifier)
            #expect(id.uri == "x-cambium://\(store.uuidString)/Sample/p\(id.key)")
            #expect(id.uriRepresentation().absoluteString == id.uri)
            let found = try #require(context.coordinator.objectID(forURI: id.uri))
            #expect(context.object(with: found) === sample)
            let bads = [
                "", "x", "x-cambium://", "x-cambium://1/Sample/p1", id.uri + "/2",
                "x-cambium://\(UUID())/Sample/p1", "x-cambium://\(store)/Nothing/p1",
                "x-cambium://\(store)/Sample/1", "x-cambium://\(store)/Sample/p",
            ]
            for bad in bads {
                #expect(context.coordinator.objectID(forURI: bad) == nil)
            }
        }
    }

    @Test func `an identity has one text, but for small letters in the store's UUID`() throws {
        try withSample { context, sample in
            let id = sample.objectID
            let store = try #require(context.coordinator.persistentStores.first?.identifier)
            func read(_ uri: String) -> ObjectID? { context.coordinator.objectID(forURI: uri) }
            let small = "x-cambium://\(store.uuidString.lowercased())/Sample/p\(id.key)"
            #expect(read(small) == id)
            #expect(read(small)?.uri == id.uri)
            let start = "x-cambium://\(store.uuidString)/Sample/"
            let keys = [
                "p+1", "p01", "p-0", "p-01", "p 1", "p1 ", "p", "p1.0", "p1e0", "p0x1", "p1_0",
                "P1",
                "p١", "p１", "p9223372036854775808", "p1/", "p1?a", "p1#a", "%701", "p%31", "p1\0",
            ]
            for key in keys { #expect(read(start + key) == nil, "\(key)") }
            #expect(read(start + "p9223372036854775807")?.key == .max)
            for other in [
                "X-CAMBIUM://\(store)/Sample/p1", "x-cambium:///\(store)/Sample/p1",
                "x-cambium://{\(store)}/Sample/p1", "x-cambium://\(store)/sample/p1",
                "x-cambium://\(store)//Sample/p1", " \(start)p1", "\(start)p1\n",
            ] {
                #expect(read(other) == nil, "\(other)")
            }
        }
    }

    @Test func `an identity of a store in a file holds when it is opened again`() throws {
        try withStoreFile { path in
            func open() throws -> ManagedObjectContext {
                try PersistentContainer(model: Everything.model, at: .temporary(path)).newContext()
            }
            let (uri, first): (String, ManagedObjectContext) = try {
                let context = try open()
                let box = Box(in: context, name: "kept")
                try context.save()
                return (box.objectID.uri, context)
            }()
            let context = try open()
            let id = try #require(context.coordinator.objectID(forURI: uri))
            #expect(try context.existingObject(with: id, as: Box.self).name == "kept")
            withExtendedLifetime(first) {}
        }
    }
}
