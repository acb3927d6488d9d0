import Cambium
import EverythingModel
import Testing

/// What a batch update computes may be too great for what it is set to.
struct BatchUpdateRangeTests {
    private func withSamples(
        _ body: (ManagedObjectContext, [Sample]) throws -> Void
    ) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let samples = [1.5, 1e300, -1e300].map { number in
                let sample = Sample(in: context)
                sample.double = number
                sample.long = number > 2 ? .max : 1
                sample.maybeLong = sample.long
                return sample
            }
            try context.save()
            try body(context, samples)
        }
    }

    private func error(
        _ request: BatchUpdateRequest<Sample>, _ context: ManagedObjectContext
    ) -> ValidationError? {
        #expect(throws: ValidationError.self) { try context.execute(request) }
    }

    @Test func `a number that single precision cannot hold is refused, with its object`() throws {
        try withSamples { context, samples in
            let request = BatchUpdateRequest<Sample>().set(Sample.single, toResultOf: "double")
            let large = error(request.filter(Sample.double > 0), context)
            #expect(large?.code == .numberTooLarge && large?.property == "single")
            #expect(large?.objectID == samples[1].objectID)
            let small = error(request.filter(Sample.double < 0), context)
            #expect(small?.code == .numberTooSmall)
            #expect(small?.objectID == samples[2].objectID)
            #expect(samples.map(\.single) == [0, 0, 0])
            let constant = error(
                BatchUpdateRequest().setValue(.double(1e300), forKey: "single"), context)
            #expect(constant?.code == .numberTooLarge && constant?.property == "single")
            try context.execute(request.filter(Sample.double == 1.5))
            #expect(samples.map(\.single) == [1.5, 0, 0])
        }
    }

    @Test func `infinity is a value, when it is set as such`() throws {
        try withSamples { context, samples in
            try context.execute(BatchUpdateRequest().set(Sample.single, to: .infinity))
            #expect(samples.map(\.single) == [.infinity, .infinity, .infinity])
        }
    }

    @Test func `a whole number past 64 bits is nil, which a required one cannot be`() throws {
        try withSamples { context, samples in
            try context.execute(
                BatchUpdateRequest().set(Sample.maybeLong, toResultOf: "maybeLong + 1"))
            #expect(samples.map(\.maybeLong) == [2, nil, 2])
            let required = error(
                BatchUpdateRequest().set(Sample.long, toResultOf: "long + 1"), context)
            #expect(required?.code == .missing && required?.property == "long")
            #expect(required?.objectID == samples[1].objectID)
        }
    }
}
