import CambiumExchange
import Foundation
import RawSQLite

/// Imports a file of JSON Lines. For comparison, it only decodes each line, with the same decoder.
///
///     ImportBenchmarks [--megabytes N] [--rounds N] [--directory DIR]
@main
struct ImportBenchmarks {
    private static let usage = """
        usage: ImportBenchmarks [--megabytes N] [--rounds N] [--directory DIR]

          --megabytes N    the size of the file, 20 unless given
          --rounds N       imports and decodings in turn, 3 unless given
          --directory DIR  where the file and the stores are made
        """

    static func main() throws {
        var megabytes = 20
        var rounds = 3
        var directory = FileManager.default.temporaryDirectory.path
        var arguments = CommandLine.arguments.dropFirst()
        while let option = arguments.popFirst() {
            switch (option, arguments.popFirst()) {
            case ("--megabytes", let value?): megabytes = Int(value) ?? megabytes
            case ("--rounds", let value?): rounds = Int(value) ?? rounds
            case ("--directory", let value?): directory = value
            default: return print(usage)
            }
        }
        #if DEBUG
            print("a debug build measures nothing: run with -c release")
        #else
            let folder = "\(directory)/cambium-import-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try run(megabytes, max(1, rounds), folder)
        #endif
    }

    private static func run(_ megabytes: Int, _ rounds: Int, _ folder: String) throws {
        let file = try ArticleFile(path: "\(folder)/articles.jsonl", bytes: megabytes << 20)
        print("\(file.bytes >> 20) MB, \(file.lines) lines")
        raw_forget_peak_resident_bytes()
        let before = raw_peak_resident_bytes()
        var ratios: [Double] = []
        for round in 0..<rounds {
            let imported = try importing(file, store: "\(folder)/store\(round).sqlite")
            if round == 0 {
                print(
                    "memory at most \(raw_peak_resident_bytes() >> 20) MB, "
                        + "before the import \(before >> 20) MB; goal < 100 MB")
            }
            let decoded = try decoding(file)
            ratios.append(imported / decoded)
            let rate = Double(file.bytes) / 1e6
            print(
                String(
                    format: "import %.2f s (%.1f MB/s), decoding alone %.2f s (%.1f MB/s): %.2f",
                    imported, rate / imported, decoded, rate / decoded, imported / decoded))
        }
        print(String(format: "median ratio %.2f, goal ≤ 2", ratios.sorted()[rounds / 2]))
    }

    private static func importing(_ file: ArticleFile, store: String) throws -> Double {
        let container = try PersistentContainer(model: Articles.model, at: .file(store))
        let context = container.newContext()
        for number in 0..<ArticleFile.groups { _ = Group(in: context, name: "Group \(number)") }
        try context.save()
        let request = ImportRequest(Article.self, from: .file(file.path), as: .jsonLines)
        var inserted = 0
        let time = try ContinuousClock().measure {
            inserted = try context.execute(request).inserted
        }
        guard inserted == file.lines,
            try context.count(for: Article.fetchRequest().filter(Article.group != nil))
                == file.lines
        else { throw CocoaError(.coderValueNotFound) }
        return time / .seconds(1)
    }

    private static func decoding(_ file: ArticleFile) throws -> Double {
        var stock = 0
        let time = try ContinuousClock().measure { stock = try decodeLines(of: file) }
        guard stock > 0 else { throw CocoaError(.coderValueNotFound) }
        return time / .seconds(1)
    }

    /// Decodes each line, and adds up the stock. It is a separate function, because access to
    /// variables that a closure captured would be checked for each byte.
    private static func decodeLines(of file: ArticleFile) throws -> Int {
        let decoder = JSONDecoder()
        var stock = 0
        guard let handle = FileHandle(forReadingAtPath: file.path) else { return 0 }
        defer { try? handle.close() }
        var rest: [UInt8] = []
        while let block = try handle.read(upToCount: 1 << 20), !block.isEmpty {
            rest += block
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = try decoder.decode(ArticleLine.self, from: Data(rest[start..<end]))
                stock += Int(line.stock)
                start = end + 1
            }
            rest = Array(rest[start...])
        }
        return stock
    }
}
