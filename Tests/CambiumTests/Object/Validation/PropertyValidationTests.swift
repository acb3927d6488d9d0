import Cambium
import EverythingModel
import Testing

struct PropertyValidationTests {
    private func withContext(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withContainer(Everything.model) { try body($0.newContext()) }
    }

    @Test func `a value is held against the limits of its property alone`() throws {
        try withContext { context in
            let limited = Limited(in: context)
            try limited.validate(Limited.code, "ABC")
            let error = #expect(throws: ValidationError.self) {
                try limited.validate(Limited.code, "A")
            }
            #expect(error?.code == .tooShort)
            #expect(error?.property == "code")
            let several = #expect(throws: ValidationErrors.self) {
                try limited.validate(Limited.code, "abcde")
            }
            #expect(several?.errors.map(\.code) == [.tooLong, .patternMismatch])
            #expect(throws: ValidationError.self) { try limited.validate(Limited.count, 11) }
            #expect(throws: ValidationError.self) { try limited.validate(Limited.amount, 1.6) }
            #expect(throws: StoreError.self) { try limited.validate(Limited.amount, 0.001) }
        }
    }

    @Test func `nothing of the object changes`() throws {
        try withContext { context in
            let limited = Limited(in: context, code: "AB")
            try context.save()
            try limited.validate(Limited.code, "ABC")
            try? limited.validate(Limited.code, "a")
            #expect(limited.code == "AB")
            #expect(!limited.hasChanges)
            #expect(!context.hasChanges)
            limited.count = 6
            try limited.validate(Limited.count, 7)
            #expect(Set(limited.changedValues().keys) == ["count"])
            try context.save()
            #expect(limited.count == 6)
        }
    }

    @Test func `nil is refused where a value is required`() throws {
        try withContext { context in
            let sample = Sample(in: context)
            let error = #expect(throws: ValidationError.self) {
                try sample.validate(Sample.short, nil)
            }
            #expect(error?.code == .missing)
            try sample.validate(Sample.maybeShort, nil)
        }
    }

    @Test func `the program's own check may repair the value`() throws {
        try withContext { context in
            let place = Place(in: context, longitude: 0)
            var longitude = 190.0
            try place.validateValue(&longitude, for: Place.longitude)
            #expect(longitude == -170)
            #expect(place.longitude == 0)
        }
    }

    @Test func `enumerations keep their type`() throws {
        try withContext { context in
            let sample = Sample(in: context)
            var colour: Colour? = .red
            try sample.validateValue(&colour, for: Sample.colour)
            #expect(colour == .red)
        }
    }

    @Test func `a key of another object is refused`() throws {
        try withContext { context in
            let part = Part(in: context, node: Node(in: context))
            let error = #expect(throws: StoreError.self) {
                try part.validate(Part.node.label, "x")
            }
            #expect(error?.code == .unknownName)
        }
    }
}
