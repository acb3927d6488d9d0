import CambiumMigration
import CambiumModel
import CambiumSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A database file that is read and never changed.
///
/// SQLite makes files beside a database with a write-ahead log, and writes into one with a journal
/// of a crash, just to read it. If either exists, a copy is read and removed afterwards. Otherwise
/// the file itself is read, as one that does not change.
final class SourceFile {
    /// The path of the original file.
    let path: String
    /// The URI under which SQLite opens the file or its copy.
    let uri: String
    /// The mode in which SQLite opens the file.
    static let settings: ConnectionSettings = {
        var settings = ConnectionSettings()
        settings.allowsURIs = true
        return settings
    }()

    /// The data that is lost from the logs beside the file.
    let logFaults: [(path: String, reason: String)]
    private let copy: String?
    private let states: [FileState]
    /// Kept until the copy is deleted: its lock shows other processes that the copy is in use.
    private let place: NewStore?
    private let temporary: TemporaryCopy?

    /// - Parameter place: The place of a copy, if one is needed; nil means among the temporary
    ///   files.
    init(_ files: CoreDataFiles, for place: NewStore?) throws(CoreDataImportError) {
        path = files.path
        self.place = place
        var states = try Self.states(of: path)
        guard states[0].exists else { throw .noFile(path: path) }
        guard states.dropFirst().contains(where: \.hasContent) else {
            (copy, temporary, logFaults) = (nil, nil, [])
            self.states = states
            uri = Self.uri(of: path) + "?immutable=1"
            return
        }
        if let place {
            try CoreDataImportError.making { () throws(NewStoreError) in try place.prepare() }
        }
        let temporary = try place == nil ? TemporaryCopy() : nil
        let copy = place?.copyOfSource ?? temporary?.path ?? ""
        for _ in 0..<3 {
            try Self.copyFiles(from: path, to: copy, isTemporary: place == nil)
            let after = try Self.states(of: path)
            if after == states {
                (self.copy, self.temporary) = (copy, temporary)
                self.states = states
                logFaults = Self.logFaults(of: path, in: copy)
                uri = Self.uri(of: copy)
                return
            }
            states = after
        }
        Self.remove(copy)
        throw .inUse(path: path)
    }

    deinit {
        if let copy { Self.remove(copy) }
    }

    /// Checks that no program has written the file since it was opened.
    func requireUnchanged() throws(CoreDataImportError) {
        guard try Self.states(of: path) == states else { throw .inUse(path: path) }
    }

    private static func states(of path: String) throws(CoreDataImportError) -> [FileState] {
        var states: [FileState] = []
        for suffix in CoreDataFiles.suffixes { states.append(try FileState(of: path + suffix)) }
        return states
    }

    private static func logFaults(
        of path: String, in copy: String
    ) -> [(path: String, reason: String)] {
        [
            ("-wal", LogCheck.fault(ofLog: copy + "-wal")),
            ("-journal", LogCheck.fault(ofJournal: copy + "-journal")),
        ].compactMap { suffix, fault in fault.map { (path + suffix, $0) } }
    }

    /// - Parameter isTemporary: Whether the copy is in a folder that everybody can read. If so,
    ///   only its owner can read it.
    private static func copyFiles(
        from path: String, to copy: String, isTemporary: Bool
    ) throws(CoreDataImportError) {
        remove(copy)
        do throws(FileError) {
            let mode =
                isTemporary
                ? 0o600 : StorePermissions(of: path).mode(in: StoreFiles.folder(of: copy))
            for suffix in CoreDataFiles.suffixes where StoreFiles.exists(path + suffix) {
                try SystemFile.reading(path + suffix)
                    .copy(to: SystemFile.making(copy + suffix, mode: mode))
            }
        } catch {
            remove(copy)
            throw error.path.hasPrefix(copy)
                ? .cannotWrite(path: copy, reason: error.reason)
                : .cannotRead(path: error.path, reason: error.reason)
        }
    }

    static func remove(_ copy: String) {
        StoreFiles.removeFiles((CoreDataFiles.suffixes + ["-shm"]).map { copy + $0 })
    }

    /// A path in the form of SQLite's URIs. Bytes with a special meaning, and bytes that are not
    /// ASCII, are escaped. An absolute path follows an empty authority, so that a second slash at
    /// its beginning does not start one.
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

/// The state of a file. It changes when the file is written.
struct FileState: Equatable {
    private let size: Int64?
    private let seconds: Int
    private let nanoseconds: Int
    private let number: UInt64

    /// The state of the file at a path, with links followed, or of one that does not exist.
    ///
    /// - Throws: If it cannot be read, or is not a file.
    init(of path: String) throws(CoreDataImportError) {
        var info = stat()
        guard stat(path, &info) == 0 else {
            guard [ENOENT, ENOTDIR].contains(errno), !StoreFiles.exists(path) else {
                throw .cannotRead(path: path, reason: StoreFiles.lastRefusal)
            }
            (size, seconds, nanoseconds, number) = (nil, 0, 0, 0)
            return
        }
        guard info.st_mode & S_IFMT == S_IFREG else {
            let isFolder = info.st_mode & S_IFMT == S_IFDIR
            throw .cannotRead(path: path, reason: "it is \(isFolder ? "a folder" : "no file")")
        }
        guard access(path, R_OK) == 0 else {
            throw .cannotRead(path: path, reason: StoreFiles.lastRefusal)
        }
        size = Int64(info.st_size)
        number = UInt64(info.st_ino)
        #if canImport(Darwin)
            let time = info.st_mtimespec
        #else
            let time = info.st_mtim
        #endif
        (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
    }

    /// Whether there is a file.
    var exists: Bool { size != nil }

    /// Whether there is a file with anything in it.
    var hasContent: Bool { (size ?? 0) > 0 }
}

/// The name of a copy of a store among the temporary files. Copies of killed processes are removed
/// first.
final class TemporaryCopy {
    /// The path.
    let path: String
    private let lock: NewStoreLock

    private static let mark = "-adopting"

    init() throws(CoreDataImportError) {
        let start = FileManager.default.temporaryDirectory.appendingPathComponent("cambium").path
        Self.removeLeftovers(start)
        while true {
            let path = try CoreDataImportError.making { () throws(NewStoreError) in
                try NewStoreError.unfinished(start, Self.mark)
            }
            do throws(NewStoreError) {
                lock = try NewStoreLock(ofStore: path)
            } catch .isRunning {
                // Another process is about to remove it, because it looked like a leftover.
                continue
            } catch {
                throw CoreDataImportError(error)
            }
            self.path = path
            return
        }
    }

    private static func removeLeftovers(_ start: String) {
        let suffix = NewStoreLock.suffix
        for file in UnfinishedFile.leftovers(of: start, mark, [suffix]) {
            let copy = String(file.dropLast(suffix.count))
            // A process that creates a copy holds the lock.
            guard let lock = try? NewStoreLock(ofStore: copy) else { continue }
            SourceFile.remove(copy)
            withExtendedLifetime(lock) {}
        }
    }
}
