import Foundation

/// The command line tool that is measured.
struct Tool {
    let path: String
    /// The folder for stores and cached proofs.
    let folder: String

    /// Runs the tool to its end.
    ///
    /// - Returns: The output, and the elapsed time in seconds.
    @discardableResult
    func run(_ words: [String]) throws -> (output: Data, seconds: Double) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = words
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        let start = ContinuousClock.now
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("\(words.joined(separator: " ")) failed")
        }
        return (output, seconds)
    }

    /// Migrates a store, and returns the time of the migration itself in seconds. It does not
    /// include reading the model and its proofs.
    func migrate(_ store: String, _ words: [String]) throws -> Double {
        let proofs = ["--proofs", "\(folder)/proofs"]
        let output = try run(["migrate", "apply", store, "--json"] + words + proofs).output
        guard let report = try JSONSerialization.jsonObject(with: output) as? [String: Any],
            let seconds = report["seconds"] as? Double
        else { throw BenchmarkError("The tool prints no report") }
        return seconds
    }

    /// A new store of a version.
    func makeStore(_ name: String, _ words: [String]) throws -> String {
        let store = "\(folder)/\(name).sqlite"
        try? FileManager.default.removeItem(atPath: store)
        _ = FileManager.default.createFile(atPath: store, contents: nil)
        _ = try migrate(store, words)
        return store
    }
}
