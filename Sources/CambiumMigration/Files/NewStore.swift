import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file of a store that is created from another one. It gets its name when it is complete. Only
/// one process at a time creates it.
package final class NewStore {
    /// The final path of the store.
    package let path: String
    /// The temporary path of the store.
    package let unfinished: String
    /// The path of a copy of the old store, if one is needed.
    package let copyOfSource: String
    /// The files of its large values, meanwhile.
    package let files: ExternalFiles
    private var lock: NewStoreLock?
    /// The bits of its file.
    private let mode: FileMode
    /// The files of large values that have their place already, and the journal there that names
    /// them.
    private var moved: (journal: String, names: Set<String>)?

    private static let suffixes = [""] + StoreFiles.companionSuffixes
    private static let sourceSuffix = "-source"

    /// Creates the destination of a copy of an open store, of any kind.
    ///
    /// - Parameter permissions: The permissions of the old store; nil if it has no file.
    package convenience init(
        copyTo path: String, allowing permissions: StorePermissions?
    ) throws(NewStoreError) {
        try self.init(path, .copy, allowing: permissions)
    }

    /// The source of a store, and the suffix of its name while it is created.
    package enum Origin: String, CaseIterable {
        /// A store that Core Data wrote.
        case coreData = ".adopting"
        /// An open store.
        case copy = ".unfinished"
    }

    /// Writes nothing yet.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - permissions: The permissions of the old store; nil if it has no file.
    package init(
        _ path: String, _ origin: Origin, allowing permissions: StorePermissions?
    ) throws(NewStoreError) {
        self.path = path
        unfinished = try NewStoreError.unfinished(path, origin.rawValue)
        files = ExternalFiles(ofStore: unfinished)
        mode = permissions?.mode(in: StoreFiles.folder(of: path)) ?? 0o644
        copyOfSource = unfinished + Self.sourceSuffix
    }

    /// The files that are written for a new store.
    package static func files(ofStore path: String) -> [String] {
        suffixes.map { path + $0 } + [NewStoreLock.path(ofStore: path)]
    }

    /// Checks that no other process creates the store, and that it does not exist yet. It can be
    /// called repeatedly.
    ///
    /// - Parameter makesFolder: Whether the folder is created if it does not exist.
    /// - Throws: An error if something exists at the path, or if another process creates the store.
    package func prepare(makesFolder: Bool = true) throws(NewStoreError) {
        guard lock == nil else { return }
        try requireNothingThere()
        let folder = StoreFiles.folder(of: path)
        do {
            if makesFolder {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true)
            }
        } catch {
            throw .cannotWrite(path: folder, reason: StoreFiles.reason(for: error))
        }
        let lock = try NewStoreLock(ofStore: path)
        // The process that had the lock before may have created it.
        try requireNothingThere()
        self.lock = lock
        Self.remove(Self.leftovers(of: path))
    }

    /// Removes the files of a process that was killed while it created the store at a path, unless
    /// another process is creating it. Reads the names in the folder.
    package static func removeLeftovers(of path: String) {
        let leftovers = leftovers(of: path)
        guard !leftovers.isEmpty || StoreFiles.exists(NewStoreLock.path(ofStore: path)),
            let lock = try? NewStoreLock(ofStore: path)
        else { return }
        // Another process may have created more, and ended, in between.
        remove(self.leftovers(of: path))
        withExtendedLifetime(lock) {}
    }

    private static func leftovers(of path: String) -> [String] {
        Origin.allCases.flatMap {
            UnfinishedFile.leftovers(
                of: path, $0.rawValue, suffixes + suffixes.map { sourceSuffix + $0 })
        }
    }

    /// Removes leftovers. The process that creates one now has the lock.
    private static func remove(_ leftovers: [String]) {
        // A link is not a leftover, and files beside its target belong to another program.
        for file in leftovers where !StoreFiles.isLink(file) {
            // The folder first, as nothing references it when the file is deleted.
            try? FileManager.default.removeItem(atPath: ExternalForm.folder(ofStore: file))
            SystemFile.remove(file)
        }
    }

    /// Makes the file, empty; it allows no more access than the old store.
    package func makeFile() throws(NewStoreError) {
        do {
            _ = try SystemFile.making(unfinished, mode: mode)
        } catch {
            throw .cannotWrite(path: unfinished, reason: error.reason)
        }
    }

    private func requireNothingThere() throws(NewStoreError) {
        for suffix in Self.suffixes where StoreFiles.exists(path + suffix) {
            throw .exists(path: path + suffix)
        }
    }

    /// Gives it its name; it is on the disk when this returns. It is not open.
    package func finish() throws(NewStoreError) {
        let places = ExternalFiles(ofStore: path, permissionsOf: unfinished)
        do {
            try moveExternalFiles(to: places)
            guard StoreFiles.synchronize(folder: unfinished) else {
                throw NewStoreError.cannotWrite(path: unfinished, reason: StoreFiles.lastRefusal)
            }
            try FileManager.default.moveItem(atPath: unfinished, toPath: path)
            _ = StoreFiles.synchronize(folder: StoreFiles.folder(of: path))
        } catch let error as NewStoreError {
            throw error
        } catch {
            throw .cannotWrite(path: path, reason: StoreFiles.reason(for: error))
        }
        if let moved { places.finish(moved.journal, removing: []) }
    }

    /// Removes everything that was created.
    package func remove() {
        if let moved {
            let places = ExternalFiles(ofStore: path)
            places.finish(moved.journal, removing: moved.names)
            StoreFiles.removeFolder(ifEmpty: places.folder)
        }
        moved = nil
        files.removeAll()
        StoreFiles.removeDatabase(unfinished)
    }

    /// The files are moved before the store that references them. If the process is killed in
    /// between, the journal shows the next process that opens a store of this name that no row
    /// references them.
    private func moveExternalFiles(to places: ExternalFiles) throws {
        let names = files.names
        guard let journal = try places.announce(names.sorted()) else { return }
        moved = (journal, names)
        try files.link(into: places)
        files.removeAll()
    }
}

/// The reason why a new store cannot be created.
package enum NewStoreError: Error, Sendable {
    /// A file exists at the path.
    case exists(path: String)
    /// Another process, or another task, is creating it.
    case isRunning(path: String)
    /// The file cannot be written.
    case cannotWrite(path: String, reason: String)

    /// The name of a file that is being created; see ``UnfinishedFile``.
    package static func unfinished(_ path: String, _ mark: String) throws(NewStoreError) -> String {
        do {
            return try UnfinishedFile.path(for: path, mark)
        } catch {
            throw .cannotWrite(path: path, reason: error.description)
        }
    }
}

/// Prevents other processes from creating the same new store: a lock on a file beside it. The
/// system releases it however the process ends.
package final class NewStoreLock {
    private let path: String
    private let descriptor: Int32

    /// - Parameter store: The new store.
    /// - Throws: An error if another process has the lock, or if locks are not possible.
    package init(ofStore store: String) throws(NewStoreError) {
        let path = Self.path(ofStore: store)
        self.path = path
        while true {
            let file = retrying { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
            guard file >= 0 else {
                throw .cannotWrite(path: path, reason: StoreFiles.lastRefusal)
            }
            guard retrying({ flock(file, LOCK_EX | LOCK_NB) }) == 0 else {
                let code = errno
                defer { close(file) }
                throw code == EWOULDBLOCK
                    ? .isRunning(path: store)
                    : .cannotWrite(path: path, reason: FileError.text(ofCode: code))
            }
            if Self.isFile(file, path) {
                descriptor = file
                return
            }
            // The former owner of the lock has removed the file in between.
            close(file)
        }
    }

    deinit {
        var info = stat()
        // A file with content was created by another program.
        if fstat(descriptor, &info) == 0, info.st_size == 0 { SystemFile.remove(path) }
        close(descriptor)
    }

    /// The path of the file.
    package static func path(ofStore store: String) -> String { store + suffix }

    /// The suffix of the name of the store.
    package static let suffix = ".adopting-lock"

    private static func isFile(_ descriptor: Int32, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }
}
