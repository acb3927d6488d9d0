import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// Paths that lead to one file: through links, or by another spelling.
extension StoreFiles {
    /// Whether two paths lead to one file, which need not be there yet.
    package static func isSameFile(_ path: String, _ other: String) -> Bool {
        if resolved(path) == resolved(other) { return true }
        var (one, two) = (stat(), stat())
        guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// Whether a path leads into a folder.
    package static func isInside(_ path: String, folder: String) -> Bool {
        resolved(path).hasPrefix(resolved(folder) + "/")
    }

    /// Whether a path leads to a file of a store's, or to where one would be.
    package static func isPart(_ path: String, ofStore store: String) -> Bool {
        let store = resolved(store)
        return ["", "-wal", "-shm", "-journal"].contains { isSameFile(path, store + $0) }
            || isInside(path, folder: ExternalForm.folder(ofStore: store))
    }

    /// The full path without links; of what is not there, as far as there is something.
    package static func resolved(_ path: String) -> String {
        // Safety: the system gives a text that ends with a NUL, and that is ours to free.
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        var name = path
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        let folder = folder(of: name)
        guard folder != name else { return name }
        let last = name.split(separator: "/").last ?? ""
        let parent =
            folder == "." ? resolved(FileManager.default.currentDirectoryPath) : resolved(folder)
        return parent == "/" ? "/\(last)" : "\(parent)/\(last)"
    }

    /// Why the system refused the last thing that this thread asked of it.
    package static var lastRefusal: String { FileError.text(ofCode: errno) }

    /// Why something could not be done with a file: what the system said, which Foundation wraps in
    /// errors of its own. Errors of ours are taken as they are.
    package static func reason(for error: any Error) -> String {
        if let error = error as? FileError { return error.reason }
        let cause = (error as? CocoaError)?.underlying ?? error
        if let system = cause as? POSIXError {
            return FileError.text(ofCode: system.code.rawValue)
        }
        // What comes from outside Foundation's essentials is of a class that they do not have.
        if cause._domain == "NSPOSIXErrorDomain" {
            return FileError.text(ofCode: Int32(truncatingIfNeeded: cause._code))
        }
        let words = "\(error)"
        let parts = words.split(separator: "\"", omittingEmptySubsequences: false)
        return words.hasPrefix("Error Domain=") && parts.count > 1 ? String(parts[1]) : words
    }
}
