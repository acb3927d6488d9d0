import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

/// What the model says about single properties.
struct LimitTests {
    private func errors(_ set: (Limited) throws -> Void) throws -> [ValidationError] {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let limited = Limited(in: context)
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

    @Test(arguments: [
        ("A", ValidationError.Code.tooShort), ("ABCDE", .tooLong), ("abc", .patternMismatch),
        ("AB1", .patternMismatch),
    ])
    func `text outside of its limits is refused`(
        _ text: String, _ code: ValidationError.Code
    ) throws {
        let errors = try errors { $0.code = text }
        #expect(errors.map(\.code) == [code])
        #expect(errors.first?.property == "code")
    }

    @Test(arguments: ["AB", "ABCD", nil] as [String?])
    func `text in its limits, or none, is saved`(_ text: String?) throws {
        #expect(try errors { $0.code = text }.isEmpty)
    }

    @Test(
        arguments: [
            (0, ValidationError.Code.numberTooSmall), (11, .numberTooLarge), (1, nil), (10, nil),
        ] as [(Int32, ValidationError.Code?)])
    func `a number is held to its limits`(_ count: Int32, _ code: ValidationError.Code?) throws {
        #expect(try errors { $0.count = count }.map(\.code) == (code.map { [$0] } ?? []))
    }

    @Test(arguments: [(-0.1, 1620), (1.1, 1610), (Double.nan, 1620), (.infinity, 1610)])
    func `a floating-point number is held to its limits`(_ ratio: Double, _ code: Int) throws {
        #expect(try errors { $0.ratio = ratio }.map(\.coreDataCode) == [code])
    }

    @Test(arguments: [("-1.51", 1620), ("1.51", 1610)])
    func `a decimal is held to its limits`(_ text: String, _ code: Int) throws {
        let amount = try #require(Decimal(string: text))
        #expect(try errors { $0.amount = amount }.map(\.coreDataCode) == [code])
        let limit = try #require(Decimal(string: "-1.5"))
        #expect(try errors { $0.amount = limit }.isEmpty)
    }

    @Test func `a date is held to its limits`() throws {
        #expect(try errors { $0.moment = .distantPast }.map(\.code) == [.dateTooSoon])
        #expect(try errors { $0.moment = .distantFuture }.map(\.code) == [.dateTooLate])
        #expect(try errors { $0.moment = Date(timeIntervalSinceReferenceDate: 0) }.isEmpty)
    }

    @Test func `the length of data is held to its limits`() throws {
        #expect(try errors { $0.bytes = Data() }.map(\.code) == [.tooShort])
        #expect(try errors { $0.bytes = Data(count: 4) }.map(\.code) == [.tooLong])
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

    @Test func `a required value that was never set is missing`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let product = try context.insertObject(ofEntity: "Product")
            let missing = context.validationErrors(of: product).filter { $0.code == .missing }
            #expect(Set(missing.map(\.property)) == ["sku", "kind", "price"])
        }
    }

    @Test(arguments: [
        (0, nil), (1, ValidationError.Code.tooFew), (2, nil), (3, nil), (4, .tooMany),
    ])
    func `the members of a to-many are counted`(
        _ count: Int, _ code: ValidationError.Code?
    ) throws {
        let errors = try errors { limited in
            guard let context = limited.managedObjectContext else { return }
            for _ in 0..<count { limited.members.insert(Member(in: context)) }
        }
        // An optional to-many may be empty whatever its minimum is.
        #expect(errors.map(\.code) == (code.map { [$0] } ?? []))
    }

    @Test func `a rule that is false is violated`() throws {
        let errors = try errors {
            $0.low = 2
            $0.high = 1
        }
        #expect(errors.map(\.code) == [.ruleViolated])
        #expect(errors.first?.rule == "lowIsLow")
        #expect(errors.first?.message == "Low is at most high")
        #expect(errors.first?.coreDataCode == 1550)
    }

    @Test func `several failures come as one error with all of them`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let limited = Limited(in: context, code: "a")
            limited.count = 0
            _ = Person(in: context, name: "")
            let error = #expect(throws: ValidationErrors.self) { try context.save() }
            #expect(error?.coreDataCode == 1560)
            #expect(
                Set(error?.errors.map(\.code) ?? [])
                    == [.tooShort, .patternMismatch, .numberTooSmall])
            #expect(error?.errors.count == 4)
        }
    }

    @Test func `an error names the property and never the value`() throws {
        let errors = try errors { $0.code = "secret" }
        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { !"\($0)".contains("secret") && "\($0)".contains("code") })
    }

    @Test func `a deleted object is not validated`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let person = Person(in: context, name: "Ada")
            try context.save()
            person.age = -1
            context.delete(person)
            try context.save()
            #expect(try context.count(for: Person.fetchRequest()) == 0)
        }
    }
}
