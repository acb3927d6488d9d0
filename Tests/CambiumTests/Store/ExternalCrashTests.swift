import Cambium
import CambiumSQLite
import Foundation
import Testing

/// A process that writes large values is killed at any moment; whoever opens the store next finds
/// every value, and no file that no row leads to.
@Suite(.onSQLite("A server keeps large values in a table."))
struct ExternalCrashTests {
    @Test func `a kill leaves no value without its file and no file without its value`()
        async throws
    {
        let path = try makeStorePath()
        defer { removeStore(path) }
        let seed = UInt64.random(in: 0...999_999)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<8 {
            let delay = UInt32.random(in: 500...60_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, delay = delay as UInt32] in
                try saveUntilKilled(path, after: delay)
            }
            try check(path, "seed \(seed), round \(round)")
        }
    }

    private func check(_ path: String, _ place: Comment) throws {
        let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
        let context = container.newContext()
        for customer in try context.customers() {
            let photo = try #require(customer.photo, place)
            // Every value is a run of one byte, which its name tells.
            #expect(photo.allSatisfy { $0 == photo.first } && !photo.isEmpty, place)
        }
        try context.save()
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).external")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        let query = "SELECT substr(photo, 2) FROM Customer WHERE substr(photo, 1, 1) = x'02'"
        let referenced = try rows(query, in: path).compactMap { row -> String? in
            guard case .blob(let bytes) = row[0] else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(names.sorted() == referenced.sorted(), place)
    }
}

private func saveUntilKilled(_ path: String, after delay: UInt32) throws {
    let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
    let context = container.newContext()
    Thread.detachNewThread {
        usleep(delay)
        kill(getpid(), SIGKILL)
    }
    var number: UInt8 = 1
    while true {
        var customers = try context.customers()
        if customers.count < 4 { customers.append(context.makeCustomer("c\(customers.count)")) }
        for (index, customer) in customers.enumerated() {
            let isLarge = (Int(number) + index) % 3 != 0
            customer.photo = Data(repeating: number, count: isLarge ? 120_000 : 10)
            number = number &+ 1 | 1
        }
        if number % 5 == 0, let last = customers.last { context.delete(last) }
        try context.save()
    }
}
