import Foundation

/// The program that uses SQLAlchemy. It is a process that reads commands from its input.
final class SQLAlchemy {
    private let process = Process()
    private let (words, answers) = (Pipe(), Pipe())
    private var received = Data()

    init(_ python: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = arguments
        process.standardInput = words
        process.standardOutput = answers
        try process.run()
    }

    deinit {
        // It ends with its input.
        try? words.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Makes it read the people in the table, for its own use.
    func remember() throws { _ = try ask("remember") }

    func measure(_ word: String) throws -> Sample {
        let numbers = try ask(word).split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 2 else {
            throw BenchmarkFailure("SQLAlchemy's answer to \(word) is none.")
        }
        return Sample(wall: numbers[0] * 1_000, processor: numbers[1] * 1_000)
    }

    private func ask(_ word: String) throws -> String {
        try words.fileHandleForWriting.write(contentsOf: Data("\(word)\n".utf8))
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received = Data(received[(end + 1)...]) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw BenchmarkFailure("The program of SQLAlchemy has ended.")
            }
            received += more
        }
    }
}
