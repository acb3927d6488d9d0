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
        guard !StoreFiles.isFolder(target) else {
            throw .file("\(path) is a folder. Name a file, in it or elsewhere.")
        }
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
            (partial, file) = try Self.makeFile(
                folder.appendingPathComponent(".\(url.lastPathComponent)").path)
        } catch {
            throw .file("\(path) cannot be written: \(Files.reason(for: error))")
        }
    }

    private static let mark = ".partial"

    /// Makes a file that nobody else has, and locks it. Those without a lock are what a process left
    /// that was killed, and are removed.
    private static func makeFile(_ start: String) throws -> (path: String, FileHandle) {
        for leftover in UnfinishedFile.leftovers(of: start, mark) {
            let file = open(leftover, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard file >= 0 else { continue }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { unlink(leftover) }
            close(file)
        }
        while true {
            let path = UnfinishedFile.path(for: start, mark)
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            // Another one may have taken it for a leftover before it had the lock. Where there are no
            // locks, nobody takes one.
            let isTaken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            var info = stat()
            if !isTaken, fstat(file, &info) == 0, info.st_nlink > 0 {
                return (path, FileHandle(fileDescriptor: file, closeOnDealloc: true))
            }
            close(file)
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
