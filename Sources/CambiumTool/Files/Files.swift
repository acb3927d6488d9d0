import CambiumCompiler
import CambiumMigration
import Foundation

extension Files {
    /// Writes files and the folders that they need: each gets its name when all are written.
    static func write(all files: [(path: String, text: String)]) throws(ToolError) {
        var written: [PartialFile] = []
        for (path, text) in files {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            try attempt("\(path) cannot be written") {
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
                let file = try PartialFile(path, mode: 0o666)
                try file.append(Data(text.utf8))
                written.append(file)
            }
        }
        for (file, name) in zip(written, files) {
            try attempt("\(name.path) cannot be written") { try file.finish(waits: false) }
        }
    }

    /// Removes a file, or a folder with its content.
    static func remove(_ path: String) throws(ToolError) {
        try attempt("\(path) cannot be removed") {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// A folder that is removed when the value is released.
    static func scratchFolder() throws(ToolError) -> ScratchFolder {
        do {
            return try ScratchFolder()
        } catch {
            throw .file("\(error)")
        }
    }

    /// The names in a folder, sorted.
    static func names(in folder: String) throws(ToolError) -> [String] {
        try attempt("\(folder) cannot be read") {
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        }
    }

    /// Writes a result to the requested file, or prints it.
    static func deliver(_ text: String, to path: String?, _ console: Console) throws(ToolError) {
        if let path, path != "-" {
            try write(text, to: path)
        } else {
            try console.write(text)
        }
    }

    /// Writes a result that is too long for memory, part by part, to the requested file, or prints
    /// it. The file appears when it is complete.
    ///
    /// - Parameter store: Users without permission to read this store get none to read the file.
    static func stream(
        to path: String?, of store: String, _ console: Console,
        _ write: (_ deliver: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        guard let path, path != "-" else {
            return try write { try console.write(String(decoding: $0, as: UTF8.self)) }
        }
        let file = try ResultFile(path, of: store)
        try write { try file.write($0) }
        try file.finish()
    }

    /// Throws if something exists at the path and would be overwritten.
    static func requireFree(_ path: String, _ remedy: String = "") throws(ToolError) {
        guard exists(path) else { return }
        throw .file("\(path) already exists; nothing was written.\(remedy)")
    }

    /// Throws if a word of the command line cannot be the path of a store's file.
    static func requireStorePath(_ path: String) throws(ToolError) {
        guard case .file = try StoreArgument(path).place else {
            throw .usage("Only the file of a store can be named here, and no server.")
        }
    }

    /// Throws if the path cannot be that of a store's file.
    static func requirePath(ofStore path: String) throws(ToolError) {
        do {
            try StorePathProblem.check(path)
        } catch {
            throw .file(error.description)
        }
    }

    /// The path from the root of the file system.
    static func fullPath(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The bytes of a file, or nil if it does not exist.
    static func bytes(of path: String) throws(ToolError) -> [UInt8]? {
        guard exists(path) else { return nil }
        return try attempt("\(path) cannot be read") {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    /// The text of a file, or nil if it does not exist.
    static func text(of path: String) throws(ToolError) -> String? {
        guard let bytes = try bytes(of: path) else { return nil }
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            throw .file("\(path) cannot be read: it is not UTF-8. Save it in UTF-8.")
        }
        return text
    }

    /// The folders to be searched for programs.
    static var programPath: String? { ProcessInfo.processInfo.environment["PATH"] }
}

extension String {
    /// The string as one word of a shell: in quotes if necessary.
    var asShellWord: String {
        let needsQuotes = contains { !$0.isLetter && !$0.isNumber && !"/._-+@%:,".contains($0) }
        return needsQuotes || isEmpty ? "'\(replacing("'", with: "'\\''"))'" : self
    }
}
