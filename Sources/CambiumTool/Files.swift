import CambiumMigration
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
        try attempt("\(path) cannot be written") {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file, options: .atomic)
        }
    }

    /// Does something with a file.
    ///
    /// - Parameter failure: What to say, before the reason, where it fails.
    static func attempt<Result>(
        _ failure: String, _ work: () throws -> Result
    ) throws(ToolError) -> Result {
        do {
            return try work()
        } catch {
            throw .file("\(failure): \(reason(for: error))")
        }
    }

    /// Why a file cannot be read or written, and what to do where leave to write is missing: the
    /// sandbox that plugins run in on macOS refuses in no other way.
    static func reason(for error: any Error) -> String {
        if let error = error as? FileError { return error.reason }
        let codes: [CocoaError.Code] = [.fileWriteNoPermission, .fileWriteVolumeReadOnly]
        guard let code = (error as? CocoaError)?.code, codes.contains(code) else {
            return error.localizedDescription
        }
        return error.localizedDescription + "\nIn a package plugin, writing may need: "
            + "swift package --allow-writing-to-package-directory …"
    }

    /// Takes away a file, or a folder with all that is in it.
    static func remove(_ path: String) throws(ToolError) {
        try attempt("\(path) cannot be removed") {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// A folder that is gone with the value.
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

    /// Writes a result to the file that was asked for, or prints it.
    static func deliver(_ text: String, to path: String?, _ console: Console) throws(ToolError) {
        if let path, path != "-" {
            try write(text, to: path)
        } else {
            try console.write(text)
        }
    }

    /// Writes a result that is too long for memory, part by part, to the file that was asked for,
    /// or prints it. The file is there when all of it is.
    ///
    /// - Parameter store: Who may not read this store may not read the file.
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

    /// Whether there is anything at a path.
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// A model that is not there is a file that cannot be read, not a model with errors.
    static func requireModel(_ path: String) throws(ToolError) {
        guard !exists(path) else { return }
        throw .file("There is no folder \(path).")
    }

    /// Makes sure that nothing is written over.
    static func requireFree(_ path: String, _ remedy: String = "") throws(ToolError) {
        guard exists(path) else { return }
        throw .file("\(path) is there already; nothing was written.\(remedy)")
    }

    /// Makes sure that a path can be that of a store's file.
    static func requireStorePath(_ path: String) throws(ToolError) {
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

    /// The bytes of a file, or nil where there is none.
    static func bytes(of path: String) throws(ToolError) -> [UInt8]? {
        guard exists(path) else { return nil }
        return try attempt("\(path) cannot be read") {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    /// The text of a file, or nil where there is none.
    static func text(of path: String) throws(ToolError) -> String? {
        guard let bytes = try bytes(of: path) else { return nil }
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            throw .file("\(path) cannot be read: it is not UTF-8. Save it in UTF-8.")
        }
        return text
    }

    /// The folders in which programs are searched.
    static var programPath: String? { ProcessInfo.processInfo.environment["PATH"] }
}

extension String {
    /// As a shell takes it for one word: in quotes where it needs them.
    var asShellWord: String {
        let needsQuotes = contains { !$0.isLetter && !$0.isNumber && !"/._-+@%:,".contains($0) }
        return needsQuotes || isEmpty ? "'\(replacing("'", with: "'\\''"))'" : self
    }
}
