import Cambium
import EverythingModel
import Testing

/// Checks that the program supplies.
struct OwnCheckTests {
    @Test func `a check may repair a value, and the repaired one is saved`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let place = Place(in: context, longitude: 190)
            try context.save()
            #expect(place.longitude == -170)
            let reader = container.newContext()
            #expect(try reader.get(place.objectID, as: Place.self).longitude == -170)
        }
    }

    @Test func `what a check does not repair is held to the limits`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            _ = Place(in: context, longitude: .infinity)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .numberTooLarge)
        }
    }

    @Test func `what a check throws is in the error`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            _ = Place(in: context, longitude: 0, name: "Atlantis")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .custom)
            #expect(error?.coreDataCode == 1550)
            #expect(error?.underlying as? Place.Refusal == .forbiddenName)
        }
    }
}
