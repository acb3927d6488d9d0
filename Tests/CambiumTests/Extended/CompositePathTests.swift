import Cambium
import ExtendedModel
import Testing

struct CompositePathTests {
    @Test func `a path leads through a relationship to a part of a composite value`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            let spot = Spot(latitude: 1.5, longitude: 2)
            let ann = ExtendedModel.Person(
                in: context, name: "Ann", home: Address(street: "High St", spot: spot))
            let bob = ExtendedModel.Person(
                in: context, name: "Bob", home: Address(street: "Low St"))
            let letters = [ann, bob].map { Letter(in: context, text: $0.name, sender: $0) }
            try context.save()
            let request = Letter.fetchRequest()
            #expect(
                Letter.sender.home.spot.latitude.path == ["sender", "home", "spot", "latitude"])
            #expect(
                try context.fetch(request.filter(Letter.sender.home.street == "High St"))
                    == [letters[0]])
            #expect(
                try context.fetch(request.filter(Letter.sender.home.spot.latitude > 1))
                    == [letters[0]])
            #expect(
                try context.fetch(request.sorted(by: Letter.sender.home.street.descending))
                    == [letters[1], letters[0]])
        }
    }
}
