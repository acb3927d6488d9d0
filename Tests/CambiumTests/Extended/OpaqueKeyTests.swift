import Cambium
import ExtendedModel
import Foundation
import Testing

/// Values that the store cannot look into are compared with nil, before a save and after it.
struct OpaqueKeyTests {
    @Test func `what is opaque can be compared with nil`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            let ann = Person(in: context, name: "Ann", home: Address(street: "High St"))
            let bob = Person(in: context, name: "Bob", home: Address(street: "Low St"))
            let letters = [ann, bob].map { Letter(in: context, text: $0.name, sender: $0) }
            ann.size = Size(width: 1, height: 2)
            ann.photo = Data([1])
            ann.office = Address(street: "Mill Lane", spot: Spot(latitude: 1, longitude: 2))
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let conditions: [Condition<Person>] = [
                    Person.size != nil, Person.photo != nil, Person.office != nil,
                    Person.office.spot != nil,
                ]
                for condition in conditions {
                    let text = "\(condition.expression), saved: \(isSaved)"
                    let request = Person.fetchRequest()
                    #expect(try context.fetch(request.filter(condition)) == [ann], "\(text)")
                    #expect(try context.fetch(request.filter(!condition)) == [bob], "\(text)")
                }
                let distant: [Condition<Letter>] = [
                    Letter.sender.size == nil, Letter.sender.photo == nil,
                    Letter.sender.office == nil,
                ]
                for condition in distant {
                    #expect(
                        try context.fetch(Letter.fetchRequest().filter(condition)) == [letters[1]],
                        "\(condition.expression), saved: \(isSaved)")
                }
                #expect(
                    try context.count(for: Person.fetchRequest().filter(Person.home == nil)) == 0)
            }
        }
    }

    @Test func `a value for a key that is compared with nil only can be validated`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            let ann = Person(in: context, name: "Ann", home: Address(street: "High St"))
            try ann.validate(Person.photo, Data([1]))
            try ann.validate(Person.photo, nil)
        }
    }
}
