import Cambium
import CambiumSQLite
import ExtendedModel
import Foundation
import Testing

/// The widened model language from XML to objects: generated classes over the same store forms that
/// the hand-written ones are tested with.
struct GeneratedExtendedTests {
    private let home = Address(street: "High St", number: 7, spot: nil)

    private func withPerson(_ body: (ManagedObjectContext, Person) throws -> Void) throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            try body(context, Person(in: context, name: "Ann", home: home))
        }
    }

    @Test func `composite values are read and set as a whole`() throws {
        try withPerson { context, ann in
            #expect(ann.home == home)
            #expect(ann.office == nil)
            ann.office = Address(
                street: "Low St", number: nil, spot: Spot(latitude: 1, longitude: 2))
            try context.save()
            context.refresh(ann, mergeChanges: false)
            #expect(ann.office?.spot == Spot(latitude: 1, longitude: 2))
            #expect(ann.office?.street == "Low St")
            ann.office = nil
            try context.save()
            #expect(ann.office == nil)
        }
    }

    @Test func `limits of parts are validated under their dotted names`() throws {
        try withPerson { context, ann in
            ann.home = Address(street: "", number: nil, spot: nil)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.property == "home.street")
        }
    }

    @Test func `codable, decimal, external and derived values work together`() throws {
        try withPerson { context, ann in
            ann.nicknames = ["A", "Annie"]
            ann.size = Size(width: 1, height: 2)
            ann.balance = Decimal(string: "0.00000000000000000001") ?? 0
            ann.photo = Data(repeating: 1, count: 300_000)
            let letter = Letter(in: context, sender: ann)
            try context.save()
            #expect(ann.nameLength == 3)
            #expect(ann.shout == "ANN")
            #expect(ann.letterCount == 1)
            #expect(letter.senderName == "Ann")
            context.refresh(ann, mergeChanges: false)
            #expect(ann.nicknames == ["A", "Annie"])
            #expect(ann.size == Size(width: 1, height: 2))
            #expect(ann.balance == Decimal(string: "0.00000000000000000001"))
            #expect(ann.photo == Data(repeating: 1, count: 300_000))
        }
    }

    @Test func `fetched properties and templates find typed objects`() throws {
        try withPerson { context, ann in
            let other = Person(
                in: context, name: "Ann", home: Address(street: "Low St", number: 1, spot: nil))
            try context.save()
            #expect(ann.namesakes == [other])
            #expect(try context.fetch(Person.named(names: ["Ann", "Bob"])).count == 2)
            let found = try context.fetch(
                Person.fetchRequest().filter(Person.home.street == "Low St"))
            #expect(found == [other])
        }
    }

    @Test func `a template takes objects, of any context of the container`() throws {
        try withPerson { context, ann in
            let bob = Person(
                in: context, name: "Bob", home: Address(street: "Low St", number: 1, spot: nil))
            let letters = ["b", "ab", "aa"].map { Letter(in: context, text: $0, sender: ann) }
            let other = Letter(in: context, text: "ac", sender: bob)
            #expect(
                try context.fetch(Letter.sent(by: ann, start: "a")) == [letters[2], letters[1]])
            try context.save()
            #expect(
                try context.fetch(Letter.sent(by: ann, start: "a")) == [letters[2], letters[1]])
            #expect(try context.fetch(Letter.sentByAny(people: [bob])) == [other])
            #expect(try context.fetch(Letter.sentByAny(people: [ann, bob])).count == 4)
            try withPerson { elsewhere, _ in
                let error = #expect(throws: StoreError.self) {
                    try elsewhere.fetch(Letter.sent(by: ann, start: "a"))
                }
                #expect(error?.code == .objectOfAnotherContext)
            }
        }
    }

    @Test func `templates give identities, numbers and dictionaries`() throws {
        try withPerson { context, ann in
            let letters = ["b", "ab", "aa", "b"].map { Letter(in: context, text: $0, sender: ann) }
            func check() throws {
                let ids: [ObjectID] = try context.fetch(Letter.idsSentBy(person: ann))
                #expect(ids == [letters[0], letters[3], letters[1], letters[2]].map(\.objectID))
                let count: Int = try context.fetch(Letter.howManyBegin(start: "a"))
                #expect(count == 2)
                let texts = try context.fetch(Letter.texts()).map { $0["text"]?.value }
                #expect(texts == [.string("aa"), .string("ab"), .string("b")])
            }
            try check()
            try context.save()
            try check()
        }
    }

    @Test func `transient relationships are kept in step`() throws {
        try withPerson { context, ann in
            let bob = Person(
                in: context, name: "Bob", home: Address(street: "Low St", number: 1, spot: nil))
            ann.partner = bob
            #expect(bob.partner === ann)
            try context.save()
            #expect(bob.partner === ann)
        }
    }
}
