import Cambium
import EverythingModel
import Testing

/// What is validated when, and what a failure says.
@Suite(.onServers)
struct Rules19To24Tests {
    @Test func `rule 19: a changed object that is deleted is not held to its limits`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let limited = Limited(in: context)
            try context.save()
            limited.count = 11
            context.delete(limited)
            try context.save()
            #expect(try context.count(for: Limited.fetchRequest()) == 0)
        }
    }

    @Test func `rule 20: an override that leaves super out leaves the model's checks out`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let watched = Watched(in: context, count: 2)
            var calls = 0
            watched.onValidate = { _ in calls += 1 }
            watched.asksSuper = false
            let part = WatchedPart(in: context, name: "")
            // Another object's are made all the same.
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(calls > 0)
            part.name = "part"
            try context.save()
            watched.asksSuper = true
            watched.count = 1_000_001
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .numberTooLarge)
        }
    }

    @Test func `rule 20: what the store demands is demanded without super too`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let watched = Watched(in: context, count: 1_000_001)
            watched.asksSuper = false
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.entityName == "Watched")
            #expect(context.insertedObjects == [watched])
        }
    }

    @Test func `rule 21: one failure is thrown as itself, two as one error with both`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let limited = Limited(in: context, count: 0)
            let one = #expect(throws: ValidationError.self) { try context.save() }
            #expect(one?.coreDataCode == 1620)
            limited.code = "A"
            let two = #expect(throws: ValidationErrors.self) { try context.save() }
            #expect(two?.coreDataCode == 1560)
            #expect(Set(two?.errors.map(\.coreDataCode) ?? []) == [1620, 1670])
        }
    }

    @Test func `rule 22: a check may replace the value, which counts as set and is saved`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let place = Place(in: context, longitude: 10)
            try context.save()
            place.longitude = 190
            try context.save()
            #expect(place.longitude == -170)
            #expect(!place.hasChanges)
            let reader = container.newContext()
            #expect(try reader.get(place.objectID, as: Place.self).longitude == -170)
        }
    }

    @Test func `rule 22: a check may throw the error of its property`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let place = Place(in: context, longitude: 10, latitude: 91)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.objectID == place.objectID)
            #expect(error?.entityName == "Place")
            #expect(error?.property == "latitude")
            #expect(error?.message == "Latitude has to be in the range -90...90.")
            #expect(error?.coreDataCode == 1550)
            place.latitude = -90
            try context.save()
        }
    }

    @Test func `rule 23: required text may be empty, not missing`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let robot = try #require(context.insertObject(ofEntity: "Robot") as? Robot)
            robot.name = "One"
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.coreDataCode == 1570)
            #expect(error?.property == "serial")
            robot.serial = ""
            try context.save()
        }
    }

    @Test func `rule 23: lengths and patterns do not apply to nil`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let limited = Limited(in: context)
            #expect(limited.code == nil)
            try context.save()
            limited.code = ""
            let errors = #expect(throws: ValidationErrors.self) { try context.save() }
            #expect(Set(errors?.errors.map(\.coreDataCode) ?? []) == [1670, 1680])
        }
    }

    /// Core Data counts UTF-16 code units, of which there would be eleven.
    @Test func `rule 24: lengths count Unicode scalars, as SQLite does`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let limited = Limited(in: context, code: "👩‍👩‍👧‍👦")
            let errors = context.validationErrors(of: limited)
            #expect(
                errors.first { $0.code == .tooLong }?.message
                    == "code has 7 characters; at most 4 are allowed.")
        }
    }

    @Test func `rule 34: an optional to-many may be empty, and else has its limits`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let team = Limited(in: context)
            try context.save()
            for code in [1580, nil, nil, 1590] {
                team.members.insert(Member(in: context))
                if let code {
                    let error = #expect(throws: ValidationError.self) { try context.save() }
                    #expect(error?.coreDataCode == code)
                    #expect(error?.property == "members")
                } else {
                    try context.save()
                }
            }
        }
    }

    @Test func `values in memory only are validated too`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(in: context)
            sample.scratch = 1_000_001
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.property == "scratch")
            #expect(error?.code == .numberTooLarge)
        }
    }
}
