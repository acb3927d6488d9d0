import CambiumCompiler
import CambiumMigration
import Foundation

/// The program `dot`, which lays out the boxes of a diagram.
package enum GraphvizProgram {
    /// The reasons that there is no picture.
    package enum Failure: Error, Sendable {
        /// There is no `dot` in the folders of PATH.
        case notInstalled
        /// The program ended with an error, or its output is not a picture.
        case failed(String)

        /// The message for a person.
        package var message: String {
            switch self {
            case .notInstalled:
                "Graphviz is not installed: there is no 'dot' in PATH. Install it (apt-get install "
                    + "graphviz, brew install graphviz), or take the diagram as Mermaid text"
            case .failed(let reason): "Graphviz made no picture: \(reason)"
            }
        }
    }

    /// Makes a picture of a graph. It takes some milliseconds for ten entities and some seconds
    /// for hundreds.
    ///
    /// - Parameters:
    ///   - graph: The graph in the language of Graphviz.
    ///   - path: The folders to search, separated by colons.
    static func svg(of graph: String, path: String?) throws(Failure) -> String {
        let folders = (path ?? "").split(separator: ":").map(String.init)
        let program = folders.lazy.map { $0 + "/dot" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let program else { throw .notInstalled }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        // The data is passed in files, because with pipes both sides could wait for each other.
        do {
            let folder = try ScratchFolder()
            defer { withExtendedLifetime(folder) {} }
            let (input, output) = (folder.path + "/graph.dot", folder.path + "/graph.svg")
            try Data(graph.utf8).write(to: URL(fileURLWithPath: input))
            // Only on its output the program writes the pictures of several graphs.
            try Data().write(to: URL(fileURLWithPath: output))
            process.arguments = ["-Tsvg", input]
            process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationReason == .exit, process.terminationStatus == 0 else {
                throw Failure.failed("dot ended with exit code \(process.terminationStatus)")
            }
            let picture = try Data(contentsOf: URL(fileURLWithPath: output))
            return String(decoding: picture, as: UTF8.self)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .failed(error.localizedDescription)
        }
    }
}
