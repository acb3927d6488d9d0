import Cambium
import EverythingModel
import Foundation
import Testing

/// Values that the store could not give back are refused before they get there.
struct UnfitValueTests {
    private func saveError(_ set: (Sample) -> Void) throws -> ValidationError? {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(in: context)
            set(sample)
            return #expect(throws: ValidationError.self) { try context.save() }
        }
    }

    @Test func `NaN is refused`() throws {
        #expect(try saveError { $0.double = .nan }?.code == .numberTooSmall)
        #expect(try saveError { $0.single = .nan }?.property == "single")
        #expect(try saveError { $0.maybeDouble = .nan }?.property == "maybeDouble")
    }

    @Test func `a date that is no number is refused`() throws {
        let error = try saveError { $0.moment = Date(timeIntervalSinceReferenceDate: .nan) }
        #expect(error?.property == "moment")
    }

    @Test func `NUL in a string is refused`() throws {
        for text in ["\0", "a\0b", "end\0"] {
            let error = try saveError { $0.text = text }
            #expect(error?.code == .nulInText)
            #expect(error?.property == "text")
        }
    }

    @Test(arguments: ["0.001", "-1.234", "1e30"])
    func `a decimal that does not fit is refused until one is set that fits`(
        _ text: String
    ) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(in: context, amount: 1)
            try context.save()
            sample.amount = try #require(Decimal(string: text))
            for _ in 0..<2 {
                let error = #expect(throws: ValidationError.self) { try context.save() }
                #expect(error?.code == .unfitDecimal)
                #expect(error?.property == "amount")
            }
            #expect(sample.amount == 1)
            sample.amount = 2
            try context.save()
            #expect(sample.amount == 2)
        }
    }

    @Test func `an unknown raw value in a row reads as the default or as missing, and never traps`()
        throws
    {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            let sample = Sample(in: context, colour: .red)
            try context.save()
            try execute(#"UPDATE "Sample" SET "colour" = 'mauve', "size" = 3"#, in: path)
            let reader = container.newContext()
            let read: Sample = try reader.get(sample.objectID)
            #expect(read.colour == nil)
            #expect(read.size == .large)
        }
    }
}
