import Cambium
import EverythingModel
import Testing

/// A condition with OR beside what a request itself demands.
struct AlternativesTests {
    @Test func `an OR finds no objects of other entities of the table`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            _ = Person(in: context, name: "Ann")
            _ = Robot(in: context, name: "Ann", serial: "1")
            _ = Robot(in: context, name: "Bob", serial: "2")
            try context.save()
            let robots = Robot.fetchRequest().filter(Robot.name == "Ann" || Robot.serial == "2")
            #expect(try context.count(for: robots) == 2)
            let people = Person.fetchRequest().filter(Person.name == "Ann" || Person.name == "Bob")
            #expect(try context.fetch(people).map(\.name) == ["Ann"])
        }
    }
}
