import CambiumMigration
import CambiumModel

/// A database file that is read and never changed.
///
/// SQLite makes files beside a database with a write-ahead log, and writes into one with a journal
/// of a crash, just to read it. So where there is either, a copy is read that is removed
/// afterwards; else the file itself, as one that nobody can change.
final class SourceFile {
    /// The file that was asked for.
    let path: String
    /// The URI under which SQLite opens what is read.
    let uri: String
    private let copy: String?
    private let states: [FileState]

    private static let suffixes = ["", "-wal", "-journal"]

    /// - Parameter workPath: The path of the copy, where one is needed.
    init(path: String, workPath: String) throws(AdoptionError) {
        self.path = path
        let files = FileManager.default
        var isFolder = false
        guard files.fileExists(atPath: path, isDirectory: &isFolder), !isFolder else {
            throw .noFile(path: path)
        }
        var states = Self.states(of: path)
        guard states.dropFirst().contains(where: \.hasContent) else {
            copy = nil
            self.states = states
            uri = Self.uri(of: path) + "?immutable=1"
            return
        }
        for _ in 0..<3 {
            try Self.copyFiles(from: path, to: workPath)
            let after = Self.states(of: path)
            if after == states {
                copy = workPath
                self.states = states
                uri = Self.uri(of: workPath)
                return
            }
            states = after
        }
        Self.remove(workPath)
        throw .inUse(path: path)
    }

    deinit {
        if let copy { Self.remove(copy) }
    }

    /// Makes sure that nobody has written the file since it was opened: what was read from one that
    /// changes may be anything.
    func requireUnchanged() throws(AdoptionError) {
        guard Self.states(of: path) == states else { throw .inUse(path: path) }
    }

    private static func states(of path: String) -> [FileState] {
        suffixes.map { FileState(of: path + $0) }
    }

    private static func copyFiles(from path: String, to copy: String) throws(AdoptionError) {
        remove(copy)
        do {
            try FileManager.default.createDirectory(
                atPath: StoreFiles.folder(of: copy), withIntermediateDirectories: true)
            for suffix in suffixes where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
        } catch {
            remove(copy)
            throw .cannotWrite(path: copy, reason: "\(error)")
        }
    }

    private static func remove(_ copy: String) {
        for suffix in suffixes + ["-shm"] {
            try? FileManager.default.removeItem(atPath: copy + suffix)
        }
    }

    /// A path as SQLite reads it in a URI: bytes that mean something there, or are none of ASCII's,
    /// are escaped. An absolute path follows an empty authority, so that a second slash at its
    /// beginning is not taken for one.
    private static func uri(of path: String) -> String {
        var text = path.hasPrefix("/") ? "file://" : "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}
