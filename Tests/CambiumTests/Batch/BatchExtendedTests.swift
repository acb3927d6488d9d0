import Cambium
import CambiumSQLite
import ExtendedModel
import Foundation
import Testing

/// Composite, codable, derived and external attributes, and decimals of any scale.
struct BatchExtendedTests {
    private func withPeople(
        on kind: StoreKind = .current,
        _ body: (PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Extended.model, on: kind) { container in
            let context = container.newContext()
            try context.execute(
                BatchInsertRequest<Person>(0..<3) { person, number in
                    person.name = "P\(number)"
                    person.home = Address(street: "Street \(number)")
                    person.office =
                        number == 0
                        ? nil
                        : Address(
                            street: "Office", number: Int32(number),
                            spot: Spot(latitude: 1, longitude: 2))
                    person.balance = 1 + Decimal(number) / 10_000_000_000
                    person.nicknames = ["a", "b"]
                    person.size = number == 1 ? Size(width: 1, height: 2) : nil
                    person.photo = Data(repeating: UInt8(number), count: number * 150_000)
                })
            try body(container, context)
        }
    }

    private func people(_ context: ManagedObjectContext) throws -> [Person] {
        try context.fetch(Person.fetchRequest().sorted(by: Person.name))
    }

    @Test(arguments: StoreKind.databases)
    func `a handler sets values of every kind, and derived ones are computed`(
        _ kind: StoreKind
    ) throws {
        try withPeople(on: kind) { container, context in
            for context in [context, container.newContext()] {
                let people = try people(context)
                #expect(people.map(\.home.street) == ["Street 0", "Street 1", "Street 2"])
                #expect(people.map(\.office?.number) == [nil, 1, 2])
                #expect(people.map(\.office?.spot?.longitude) == [nil, 2, 2])
                #expect(people.map(\.balance).first == 1)
                #expect(people.map(\.balance).last == Decimal(string: "1.0000000002"))
                #expect(people.map(\.nicknames) == [["a", "b"], ["a", "b"], ["a", "b"]])
                #expect(people.map(\.size?.height) == [nil, 2, nil])
                #expect(people.map(\.photo?.count) == [0, 150_000, 300_000])
                #expect(people.map(\.photo?.last) == [nil, 1, 2])
                #expect(people.map(\.nameLength) == [2, 2, 2])
                #expect(people.map(\.shout) == ["P0", "P1", "P2"])
                #expect(people.map(\.letterCount) == [0, 0, 0])
                #expect(people.allSatisfy { abs($0.savedAt.timeIntervalSinceNow) < 60 })
            }
        }
    }

    @Test(arguments: StoreKind.databases)
    func `an update sets values of every kind, and derived ones follow`(_ kind: StoreKind) throws {
        try withPeople(on: kind) { container, context in
            let people = try people(context)
            let photo = Data(repeating: 9, count: 200_000)
            try context.execute(
                BatchUpdateRequest<Person>().filter(Person.name > "P0")
                    .set(Person.name, toResultOf: "name + 'x'")
                    .set(Person.home.street, to: "Elsewhere")
                    .set(Person.balance, toResultOf: "balance * 2")
                    .set(Person.nicknames, to: ["c"])
                    .set(Person.size, to: Size(width: 3, height: 4))
                    .set(Person.photo, to: photo))
            for people in try [people, self.people(container.newContext())] {
                #expect(people.map(\.name) == ["P0", "P1x", "P2x"])
                #expect(people.map(\.shout) == ["P0", "P1X", "P2X"])
                #expect(people.map(\.nameLength) == [2, 3, 3])
                #expect(people.map(\.home.street) == ["Street 0", "Elsewhere", "Elsewhere"])
                #expect(people[2].balance == Decimal(string: "2.0000000004"))
                #expect(people.map(\.nicknames) == [["a", "b"], ["c"], ["c"]])
                #expect(people.map(\.size?.width) == [nil, 3, 3])
                #expect(people.map(\.photo?.count) == [0, 200_000, 200_000])
            }
            try context.execute(
                BatchUpdateRequest<Person>().set(Person.size, to: nil).set(Person.photo, to: nil))
            #expect(people.allSatisfy { $0.size == nil && $0.photo == nil })
            people[0].name = "saved"
            try context.save()
        }
    }

    @Test func `derived attributes of others follow inserts, updates and deletes`() throws {
        try withPeople { _, context in
            let people = try people(context)
            let ids = people.map(\.objectID)
            try context.execute(
                BatchInsertRequest<Letter>(0..<5) { letter, number in
                    letter.text = "\(number)"
                    letter.sender = people[number % 2]
                })
            #expect(people.map(\.letterCount) == [3, 2, 0])
            let letters = try context.fetch(Letter.fetchRequest().sorted(by: Letter.text))
            #expect(letters.map(\.senderName) == ["P0", "P1", "P0", "P1", "P0"])
            try context.execute(
                BatchUpdateRequest<Letter>().filter(Letter.text == "0")
                    .set(Letter.sender, to: ids[2]))
            #expect(people.map(\.letterCount) == [2, 2, 1])
            try context.execute(BatchDeleteRequest<Letter>().filter(Letter.text >= "3"))
            #expect(people.map(\.letterCount) == [1, 1, 1])
            try context.execute(
                BatchUpdateRequest<Person>().filter(Person.name == "P2")
                    .set(Person.name, to: "Q"))
            #expect(letters[0].senderName == "Q")
            // Derived values never bump the version: an older object is in nobody's way.
            people[0].name = "mine"
            try context.save()
        }
    }

    @Test(.onSQLite("A server keeps large values in a table."))
    func `large values leave no files behind, whatever becomes of the operation`() throws {
        try withPeople(on: .lasting) { container, context in
            let path = try #require(container.coordinator.persistentStores.first?.location.path)
            let url = URL(filePath: path)
            let folder = url.deletingLastPathComponent()
                .appending(path: ".\(url.lastPathComponent).external")
            func files() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: folder.path()).count
            }
            try #expect(files() == 2)
            let failing = BatchInsertRequest<Person>(0..<2) { person, number in
                person.name = number == 0 ? "X" : ""
                person.home = Address(street: "s")
                person.photo = Data(repeating: 1, count: 200_000)
            }
            #expect(throws: BatchInsertError.self) { try context.execute(failing) }
            try #expect(files() == 2)
            try context.execute(
                BatchUpdateRequest<Person>().set(Person.photo, to: Data(count: 150_000)))
            try #expect(files() == 3)
            try context.execute(BatchDeleteRequest<Person>().filter(Person.name == "P1"))
            try #expect(files() == 2)
            try context.execute(BatchDeleteRequest<Person>())
            try #expect(files() == 0)
        }
    }

    @Test func `what breaks a composite value, or is derived or transient, is refused`() throws {
        try withPeople { _, context in
            func error(_ request: BatchUpdateRequest<Person>) -> String {
                do {
                    try context.execute(request)
                    return ""
                } catch {
                    return "\(error)"
                }
            }
            let request = BatchUpdateRequest<Person>()
            #expect(error(request.set(Person.nameLength, to: 2)).contains("derived"))
            #expect(error(request.setValue(.null, forKey: "home")).contains("home.street"))
            #expect(error(request.setValue(.null, forKey: "partner")).contains("transient"))
            #expect(error(request.set(Person.home.street, to: "")).contains("home.street"))
            #expect(
                error(request.filter(Person.name == "P1").set(Person.office.street, to: nil))
                    .contains("office"))
        }
    }

    @Test func `a sub-entity's rows have both entities' values`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            try context.execute(
                BatchInsertRequest<Member>(0..<2) { member, number in
                    member.name = "M\(number)"
                    member.home = Address(street: "s\(number)")
                    member.level = Int32(number + 2)
                })
            let members = try context.fetch(Member.fetchRequest().sorted(by: Member.name))
            #expect(members.map(\.level) == [2, 3])
            #expect(members.map(\.bonus) == [0, 0])
            try context.execute(
                BatchInsertRequest<Letter>(0..<2) { letter, _ in letter.sender = members[1] })
            #expect(members.map(\.bonus) == [0, 6])
            try context.execute(BatchUpdateRequest<Member>().set(Member.level, to: 5))
            #expect(members.map(\.bonus) == [0, 10])
            try #expect(context.execute(BatchDeleteRequest<Person>()).count == 2)
            try #expect(context.count(for: Letter.fetchRequest()) == 0)
        }
    }
}
