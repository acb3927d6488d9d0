import CambiumMigration
import Foundation

/// A file that gets its name when all of it is written. What had the name before is there until
/// then, and stays where something goes wrong.
final class PartialFile {
    /// The path that was asked for.
    let path: String
    /// Where it gets its name, which is where a link leads to.
    private let target: String
    /// Where it is meanwhile; nil where the target is no file, such as a pipe.
    private let partial: String?
    private let file: FileHandle

    /// Makes the file, and the folders that it needs.
    ///
    /// - Throws: Where it cannot be written, or a database would be written over.
    init(_ path: String) throws(ToolError) {
        self.path = path
        target = StoreFiles.resolved(path)
        let url = URL(fileURLWithPath: target)
        let isFile = try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
        if isFile == true { try Self.requireNoDatabase(target, path) }
        do {
            guard isFile != false else {
                partial = nil
                file = try FileHandle(forWritingTo: url)
                return
            }
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let unfinished = folder.appendingPathComponent(
                ".\(url.lastPathComponent).\(UUID().uuidString)")
            try Data().write(to: unfinished)
            partial = unfinished.path
            file = try FileHandle(forWritingTo: unfinished)
        } catch {
            throw .file("\(path) cannot be written: \(Files.reason(for: error))")
        }
    }

    deinit {
        try? file.close()
        if let partial { StoreFiles.removeFiles([partial]) }
    }

    /// Writes more of it.
    func write(_ bytes: some DataProtocol) throws(ToolError) {
        do {
            try file.write(contentsOf: bytes)
        } catch {
            throw .file("\(path) cannot be written: \(Files.reason(for: error))")
        }
    }

    /// Gives it its name; nothing is written after that.
    func finish() throws(ToolError) {
        guard let partial else { return }
        guard rename(partial, target) == 0 else {
            throw .file("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Nobody means to write a text over a database.
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
