import Cambium
import Foundation
import RawSQLite

/// Reads a long list in batches, and prints the memory of the process. The process does nothing
/// else, because an allocator may keep memory that was used before.
///
///     MemoryBenchmarks [--rows N] [--batch N] [--directory DIR]
@main
struct MemoryBenchmarks {
    private static let usage = """
        usage: MemoryBenchmarks [--rows N] [--batch N] [--directory DIR]

          --rows N         the length of the list, 1,000,000 unless given
          --batch N        how many objects are read together, 100 unless given
          --directory DIR  where the store is made, the temporary folder unless given
        """

    static func main() throws {
        var rows = 1_000_000
        var batch = 100
        var directory = FileManager.default.temporaryDirectory.path
        var store: String?
        var pageCache: String?
        var arguments = CommandLine.arguments.dropFirst()
        while let option = arguments.popFirst() {
            switch (option, arguments.popFirst()) {
            case ("--rows", let value?): rows = Int(value) ?? rows
            case ("--batch", let value?): batch = Int(value) ?? batch
            case ("--directory", let value?): directory = value
            // An option that only the program itself uses.
            case ("--store", let value?): store = value
            case ("--page-cache", let value?): pageCache = value
            default: return print(usage)
            }
        }
        #if DEBUG
            print("a debug build measures nothing: run with -c release")
        #else
            if let store { return try walk(store, rows, batch, pageCache) }
            let folder = "\(directory)/cambium-memory-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = "\(folder)/readings.sqlite"
            try fill(path, rows)
            let walk = ["--rows", "\(rows)", "--batch", "\(batch)", "--store", path]
            for (name, options) in [
                ("as a store is opened", []),
                ("a page cache of 2 MB", ["--page-cache", "-2000"]),
            ] {
                print(name, terminator: ": ")
                fflush(nil)
                let process = try Process.run(
                    URL(filePath: CommandLine.arguments[0]), arguments: walk + options)
                process.waitUntilExit()
                guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
            }
            print("goal: ≤ 60 MB for 1,000,000 rows")
        #endif
    }

    private static func container(at path: String, pageCache: String?) throws -> PersistentContainer
    {
        var options = StoreOptions()
        options.pragmas["cache_size"] = pageCache
        return try PersistentContainer(model: Readings.model, at: .file(path), options: options)
    }

    private static func value(_ number: Int) -> Double {
        Double(number &* 7919 % 100_000) / 8
    }

    private static func fill(_ path: String, _ rows: Int) throws {
        let request = BatchInsertRequest<Reading>(0..<rows) { reading, number in
            reading.sensor = "Sensor \(number % 1000)"
            reading.value = value(number)
            reading.time = Date(timeIntervalSinceReferenceDate: Double(number))
            if number % 2 == 0 { reading.note = "A note of some forty characters, \(number)" }
        }
        let context = try container(at: path, pageCache: "-2000").newContext()
        let time = try ContinuousClock().measure { try context.execute(request) }
        print(
            "\(rows) rows, inserted in a batch in \(seconds(time)), memory at most "
                + megabytes(raw_peak_resident_bytes()))
    }

    /// Fetches all rows sorted by time, and reads a value of each.
    private static func walk(
        _ path: String, _ rows: Int, _ batch: Int, _ pageCache: String?
    ) throws {
        let context = try container(at: path, pageCache: pageCache).newContext()
        raw_forget_peak_resident_bytes()
        let before = raw_peak_resident_bytes()
        var request = Reading.fetchRequest().sorted(by: Reading.time)
        request.batchSize = batch
        let clock = ContinuousClock()
        let start = clock.now
        let readings = try context.fetchInBatches(request)
        let fetched = clock.now
        var sum = 0.0
        for reading in readings { sum += reading.value }
        let end = clock.now
        guard readings.count == rows, sum == (0..<rows).reduce(0, { $0 + value($1) }) else {
            throw CocoaError(.coderValueNotFound)
        }
        print(
            "memory at most \(megabytes(raw_peak_resident_bytes())), "
                + "before \(megabytes(before)); fetched in \(seconds(fetched - start)), "
                + "gone through in \(seconds(end - fetched))")
    }

    private static func seconds(_ time: Duration) -> String {
        String(format: "%.2f s", time / .seconds(1))
    }

    private static func megabytes(_ bytes: Int64) -> String {
        bytes == 0 ? "(not known)" : String(format: "%.1f MB", Double(bytes) / 1e6)
    }
}
