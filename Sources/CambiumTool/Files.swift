import Foundation

/// Reading and writing files, with errors that say which and why.
enum Files {
    /// Writes a file and the folders that it needs.
    ///
    /// One whose contents would not change is left alone and keeps its date, so that nothing that
    /// is made from it is made again.
    static func write(_ text: String, to path: String) throws(ToolError) {
        let file = URL(fileURLWithPath: path)
        let data = Data(text.utf8)
        if (try? Data(contentsOf: file)) == data { return }
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file, options: .atomic)
        } catch {
            throw .file(
                "\(path) cannot be written: \(error.localizedDescription)\nIn a package plugin, "
                    + "writing may need: swift package --allow-writing-to-package-directory …")
        }
    }

    /// Writes a result to the file that was asked for, or prints it.
    static func deliver(_ text: String, to path: String?, _ console: Console) throws(ToolError) {
        if let path, path != "-" {
            try write(text, to: path)
        } else {
            console.write(text)
        }
    }

    /// Whether there is anything at a path.
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// A model that is not there is a file that cannot be read, not a model with errors.
    static func requireModel(_ path: String) throws(ToolError) {
        guard !exists(path) else { return }
        throw .file("There is no folder \(path).")
    }

    /// The path from the root of the file system.
    static func fullPath(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The text of a file, or nil where there is none.
    static func text(of path: String) throws(ToolError) -> String? {
        guard exists(path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(bytes: data, encoding: .utf8)
        else { throw .file("\(path) cannot be read.") }
        return text
    }

    /// The folders in which programs are searched.
    static var programPath: String? { ProcessInfo.processInfo.environment["PATH"] }
}
