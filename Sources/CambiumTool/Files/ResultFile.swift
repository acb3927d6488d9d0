import CambiumCompiler
import CambiumMigration
import Foundation

/// A file for the result of a command about a store. It gets its name when it is complete. A pipe
/// or another special file is written at once.
final class ResultFile {
    /// The requested path.
    let path: String
    private let place: Place

    private enum Place {
        case file(PartialFile)
        case stream(SystemFile)
    }

    /// Creates the file, and the folders that it needs.
    ///
    /// - Parameter store: Users without permission to read this store get none to read the file.
    /// - Throws: An error if it cannot be written, or if a database would be overwritten.
    init(_ path: String, of store: String) throws(ToolError) {
        self.path = path
        // If the path is a link, the file gets the name of the link's target.
        let target = StoreFiles.resolved(path)
        let url = URL(fileURLWithPath: target)
        guard !StoreFiles.isFolder(target) else {
            throw .file("\(path) is a folder. Name a file, in it or elsewhere.")
        }
        let isFile = try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
        if isFile == true { try Self.requireNoDatabase(target, path) }
        place = try Files.attempt("\(path) cannot be written") {
            if isFile == false { return .stream(try SystemFile.writing(target)) }
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let mode = StorePermissions(ofFile: store)?.mode(in: folder.path)
            return .file(try PartialFile(target, mode: mode ?? 0o666))
        }
    }

    /// Writes more of it.
    func write(_ bytes: some ContiguousBytes) throws(ToolError) {
        try Files.attempt("\(path) cannot be written") {
            switch place {
            case .file(let file): try file.append(bytes)
            case .stream(let file): try file.append(bytes)
            }
        }
    }

    /// Gives it its name; nothing is written after that.
    func finish() throws(ToolError) {
        try Files.attempt("\(path) cannot be written") {
            if case .file(let file) = place { try file.finish() }
        }
    }

    /// Throws if a database would be overwritten by a text.
    private static func requireNoDatabase(_ target: String, _ path: String) throws(ToolError) {
        guard let file = FileHandle(forReadingAtPath: target) else { return }
        defer { try? file.close() }
        let header = Data("SQLite format 3\0".utf8)
        guard (try? file.read(upToCount: header.count)) == header else { return }
        throw .file(
            "\(path) is a database, and would be written over. Choose another place, or move it "
                + "away.")
    }
}
