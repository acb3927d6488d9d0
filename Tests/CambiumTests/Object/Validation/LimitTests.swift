@_spi(Generated) @testable import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

/// What the model says about single properties.
struct LimitTests {
    private func errors(
        of objects: ObjectKind, _ set: (Seen<Limited>) throws -> Void
    ) throws -> [ValidationError] {
        try withContainer(objects.everything) { container in
            let context = container.newContext()
            let limited = try context.insert(Limited.self)
            try set(limited)
            return try saveErrors(context)
        }
    }

    private func saveErrors(_ context: ManagedObjectContext) throws -> [ValidationError] {
        do {
            try context.save()
            return []
        } catch let error as ValidationErrors {
            return error.errors
        } catch let error as ValidationError {
            return [error]
        }
    }

    @Test(
        arguments: [
            ("A", ValidationError.Code.tooShort), ("ABCDE", .tooLong), ("abc", .patternMismatch),
            ("AB1", .patternMismatch),
        ], ObjectKind.allCases)
    func `text outside of its limits is refused`(
        _ refused: (text: String, code: ValidationError.Code), _ objects: ObjectKind
    ) throws {
        let errors = try errors(of: objects) { $0.code = refused.text }
        #expect(errors.map(\.code) == [refused.code])
        #expect(errors.first?.property == "code")
    }

    @Test(arguments: ["AB", "ABCD", nil] as [String?], ObjectKind.allCases)
    func `text in its limits, or none, is saved`(
        _ text: String?, _ objects: ObjectKind
    ) throws {
        #expect(try errors(of: objects) { $0.code = text }.isEmpty)
    }

    @Test(
        arguments: [
            (0, ValidationError.Code.numberTooSmall), (11, .numberTooLarge), (1, nil), (10, nil),
        ] as [(Int32, ValidationError.Code?)], ObjectKind.allCases)
    func `a number is held to its limits`(
        _ tried: (count: Int32, code: ValidationError.Code?), _ objects: ObjectKind
    ) throws {
        let errors = try errors(of: objects) { $0.count = tried.count }
        #expect(errors.map(\.code) == (tried.code.map { [$0] } ?? []))
    }

    @Test(
        arguments: [(-0.1, 1620), (1.1, 1610), (Double.nan, 1620), (.infinity, 1610)],
        ObjectKind.allCases)
    func `a floating-point number is held to its limits`(
        _ refused: (ratio: Double, code: Int), _ objects: ObjectKind
    ) throws {
        let errors = try errors(of: objects) { $0.ratio = refused.ratio }
        #expect(errors.map(\.coreDataCode) == [refused.code])
    }

    @Test(arguments: [("-1.51", 1620), ("1.51", 1610)], ObjectKind.allCases)
    func `a decimal is held to its limits`(
        _ refused: (text: String, code: Int), _ objects: ObjectKind
    ) throws {
        let amount = try #require(Decimal(string: refused.text))
        let errors = try errors(of: objects) { $0.amount = amount }
        #expect(errors.map(\.coreDataCode) == [refused.code])
        let limit = try #require(Decimal(string: "-1.5"))
        #expect(try self.errors(of: objects) { $0.amount = limit }.isEmpty)
    }

    @Test(arguments: ObjectKind.allCases)
    func `a date is held to its limits`(_ objects: ObjectKind) throws {
        #expect(try errors(of: objects) { $0.moment = .distantPast }.map(\.code) == [.dateTooSoon])
        #expect(
            try errors(of: objects) { $0.moment = .distantFuture }.map(\.code) == [.dateTooLate])
        let first = Date(timeIntervalSinceReferenceDate: 0)
        #expect(try errors(of: objects) { $0.moment = first }.isEmpty)
    }

    @Test(arguments: ObjectKind.allCases)
    func `the length of data is held to its limits`(_ objects: ObjectKind) throws {
        #expect(try errors(of: objects) { $0.bytes = Data() }.map(\.code) == [.tooShort])
        #expect(try errors(of: objects) { $0.bytes = Data(count: 4) }.map(\.code) == [.tooLong])
    }

    @Test func `the length of text counts Unicode scalars`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let category = Category(in: context, name: "👩‍👩‍👧‍👦")
            #expect(context.validationErrors(of: category).isEmpty)
            category.name = ""
            #expect(context.validationErrors(of: category).map(\.code) == [.tooShort])
        }
    }

    @Test(
        arguments: [
            ("é", .tooShort), ("👍", .tooShort), ("éé", nil), ("👍👍👍👍", nil), ("ééééé", .tooLong),
            ("ABCDé", .tooLong),
        ] as [(String, ValidationError.Code?)], ObjectKind.allCases)
    func `bytes of text are not its length`(
        _ tried: (text: String, code: ValidationError.Code?), _ objects: ObjectKind
    ) throws {
        let codes = try errors(of: objects) { $0.code = tried.text }.map(\.code)
        // The pattern wants letters from A to Z.
        #expect(codes.filter { $0 != .patternMismatch } == (tried.code.map { [$0] } ?? []))
    }

    @Test func `a required value that was never set is missing`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let product = try context.insertObject(ofEntity: "Product")
            let missing = context.validationErrors(of: product).filter { $0.code == .missing }
            #expect(Set(missing.map(\.property)) == ["sku", "kind", "price"])
        }
    }

    /// A missing text reads as empty, and a missing number as zero: their limits are not looked at.
    @Test(arguments: ObjectKind.allCases)
    func `a required value that is missing is one error, with its code and its name`(
        _ objects: ObjectKind
    ) throws {
        try withContainer(objects.everything) { container in
            for (entity, property) in [("Person", "name"), ("WatchedPart", "name")] {
                let context = container.newContext()
                _ = try context.insertObject(ofEntity: entity)
                let error = try #require(throws: ValidationError.self) { try context.save() }
                #expect(error.code == .missing && error.coreDataCode == 1570)
                #expect(error.property == property)
            }
        }
    }

    @Test func `a check of the program's own adds nothing to a value that is missing`() throws {
        try withContainer(Everything.model) { container in
            let place = try container.newContext().insertObject(ofEntity: "Place")
            var validator = Validator(object: place)
            validator.add(.missing, "longitude", "longitude is required.")
            for property in ["longitude", "latitude"] {
                validator.custom(property) {
                    throw place.propertyValidationError(
                        forKey: property, localizedDescription: "It is wrong.")
                }
                validator.custom(property) { throw CancellationError() }
            }
            #expect(
                validator.errors.map(\.property) == ["longitude", "latitude", "latitude"])
        }
    }

    @Test(
        arguments: [
            (0, nil), (1, ValidationError.Code.tooFew), (2, nil), (3, nil), (4, .tooMany),
        ], ObjectKind.allCases)
    func `the members of a to-many are counted`(
        _ tried: (count: Int, code: ValidationError.Code?), _ objects: ObjectKind
    ) throws {
        let errors = try errors(of: objects) { limited in
            let context = try #require(limited.managedObjectContext)
            for _ in 0..<tried.count { limited.members.insert(try context.insert(Member.self)) }
        }
        // An optional to-many may be empty whatever its minimum is.
        #expect(errors.map(\.code) == (tried.code.map { [$0] } ?? []))
    }

    @Test(arguments: ObjectKind.allCases)
    func `a rule that is false is violated`(_ objects: ObjectKind) throws {
        let errors = try errors(of: objects) {
            $0.low = 2
            $0.high = 1
        }
        #expect(errors.map(\.code) == [.ruleViolated])
        #expect(errors.first?.rule == "lowIsLow")
        #expect(errors.first?.message == "Low is at most high")
        #expect(errors.first?.coreDataCode == 1550)
    }

    @Test(arguments: ObjectKind.allCases)
    func `several failures come as one error with all of them`(_ objects: ObjectKind) throws {
        try withContainer(objects.everything) { container in
            let context = container.newContext()
            _ = try context.insert(Limited.self) { ($0.code, $0.count) = ("a", 0) }
            _ = try context.insert(Person.self) { $0.name = "" }
            let error = #expect(throws: ValidationErrors.self) { try context.save() }
            #expect(error?.coreDataCode == 1560)
            #expect(
                Set(error?.errors.map(\.code) ?? [])
                    == [.tooShort, .patternMismatch, .numberTooSmall])
            #expect(error?.errors.count == 4)
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `an error names the property and never the value`(_ objects: ObjectKind) throws {
        let errors = try errors(of: objects) { $0.code = "secret" }
        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { !"\($0)".contains("secret") && "\($0)".contains("code") })
    }

    @Test(arguments: ObjectKind.allCases)
    func `a deleted object is not validated`(_ objects: ObjectKind) throws {
        try withContainer(objects.everything) { container in
            let context = container.newContext()
            let person = try context.insert(Person.self) { $0.name = "Ada" }
            try context.save()
            person.age = -1
            context.delete(person)
            try context.save()
            #expect(try context.countSeen(Person.fetchRequest()) == 0)
        }
    }
}
