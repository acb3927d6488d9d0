import Cambium
import EverythingModel
import Testing

/// A fetch with unsaved inserts, updates and deletes finds what it finds after the save, in the
/// same order and window; and what it computes of them is the same.
///
/// `CAMBIUM_SEED` replays a run, `CAMBIUM_GENERATOR_RUNS` and `CAMBIUM_GENERATOR_SECONDS` make it
/// longer.
struct PendingDifferentialTests {
    private static let requestsPerRun = 12

    @Test(arguments: [StoreKind.memory, .dictionary])
    func `random requests find the same before a save and after it`(_ kind: StoreKind) throws {
        var runs = 0
        try forEachSeed(share: 0.5, for: 1) { seed in
            runs += 1
            try withContainer(Everything.model, on: kind) { container in
                let random = SeededGenerator(seed: seed)
                var writer = RandomRequest(using: random)
                let context = container.newContext()
                writer.fill(context)
                try context.save()
                try writer.change(context)
                let requests = (0..<Self.requestsPerRun).map { _ in writer.request() }
                let values = (0..<Self.requestsPerRun).map { _ in writer.results() }
                let pending = try requests.map { try context.fetch($0).map(\.objectID) }
                let pendingIDs = try requests.map { try context.fetch($0.ids) }
                let pendingCounts = try requests.map { try context.count(for: $0) }
                let pendingValues = try values.map { try context.fetch($0) }
                try context.save()
                let reader = container.newContext()
                for (index, request) in requests.enumerated() {
                    let place = "\(request), seed \(seed)"
                    let saved = try reader.fetch(request).map(\.objectID)
                    #expect(pending[index] == saved, "\(place)")
                    #expect(pendingIDs[index] == saved, "ids: \(place)")
                    #expect(pendingCounts[index] == saved.count, "count: \(place)")
                    #expect(try reader.fetch(request.ids) == saved, "saved ids: \(place)")
                    #expect(try context.fetch(request).map(\.objectID) == saved, "\(place)")
                }
                for (index, request) in values.enumerated() {
                    let saved = try reader.fetch(request)
                    #expect(
                        pendingValues[index] == saved, "values: \(request.base), seed \(seed)")
                }
            }
        }
        print("requests on \(kind): \(runs * Self.requestsPerRun * 2) compared")
    }
}
