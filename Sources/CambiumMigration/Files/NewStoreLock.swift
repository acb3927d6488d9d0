#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Keeps others from making the same new store: a lock on a file beside it, which the system gives
/// back however the process ends.
package final class NewStoreLock {
    private let path: String
    private let descriptor: Int32

    /// - Parameter store: The new store.
    /// - Throws: Where somebody else has the lock, or nobody can have it.
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
            // Who had the lock before has removed the file in between.
            close(file)
        }
    }

    deinit {
        var info = stat()
        // A file with anything in it is not ours.
        if fstat(descriptor, &info) == 0, info.st_size == 0 { SystemFile.remove(path) }
        close(descriptor)
    }

    /// The path of the file.
    package static func path(ofStore store: String) -> String { store + suffix }

    /// What comes behind the name of the store.
    package static let suffix = ".adopting-lock"

    private static func isFile(_ descriptor: Int32, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }
}
