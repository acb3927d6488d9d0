import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open folder. What is done with its files happens in it, whatever becomes of its path
/// meanwhile, and never at the other end of a link.
package final class SystemFolder: Sendable {
    let descriptor: Int32
    let path: String

    /// Opens a folder; a link to one is none.
    ///
    /// - Parameter name: Its path, from the other folder where that is not nil.
    package init(_ name: String, in folder: SystemFolder? = nil) throws(FileError) {
        let start = folder?.descriptor ?? AT_FDCWD
        let path = folder.map { "\($0.path)/\(name)" } ?? name
        let descriptor = retrying {
            openat(start, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard descriptor >= 0 else {
            let failure = FileError(refused: path, "opened")
            var info = stat()
            guard fstatat(start, name, &info, AT_SYMLINK_NOFOLLOW) == 0,
                info.st_mode & S_IFMT == S_IFLNK
            else { throw failure }
            throw FileError(
                path, "opened",
                because: "it is a link, and a store has its files in a folder of its own")
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Opens a folder, which is made where there is none.
    ///
    /// - Parameter mode: What a new one allows at most.
    convenience init(making path: String, mode: FileMode) throws(FileError) {
        guard mkdir(path, mode) == 0 || errno == EEXIST else {
            throw FileError(refused: path, "made")
        }
        try self.init(path)
    }

    /// The names of all that is in it.
    func names() throws(FileError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw FileError(path, "read", because: StoreFiles.reason(for: error))
        }
    }

    /// Makes a file and waits until it is on the disk. One that was begun and could not be finished
    /// is removed.
    ///
    /// - Parameters:
    ///   - mode: What it allows at most, from its creation on.
    ///   - write: Writes the file.
    /// - Throws: ``FileError``, also where there is something of that name, which stays; what the
    ///   body throws.
    func make(
        _ name: String, mode: FileMode, _ write: (SystemFile) throws(FileError) -> Void
    ) throws(FileError) {
        let file = try SystemFile.making(name, in: self, mode: mode)
        do throws(FileError) {
            try write(file)
            try file.synchronize()
        } catch {
            remove(name)
            throw error
        }
    }

    /// Gives a file another name in another folder. What has that name there stays, and so does what
    /// is no file.
    ///
    /// - Parameter mode: What a copy allows at most, where the file system has no links.
    func link(_ name: String, into other: SystemFolder, mode: FileMode) throws(FileError) {
        var info = stat()
        guard fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0,
            info.st_mode & S_IFMT == S_IFREG,
            linkat(descriptor, name, other.descriptor, name, 0) != 0, errno != EEXIST
        else { return }
        let file: SystemFile
        do throws(FileError) {
            file = try SystemFile.reading(file: name, in: self)
        } catch {
            // A save may have removed it since the names were read: no row references it then.
            if error.isMissing { return }
            throw error
        }
        try other.make(name, mode: mode, file.copy)
    }

    /// Removes a file or a link.
    ///
    /// - Returns: Whether nothing has the name now.
    @discardableResult
    func remove(_ name: String) -> Bool {
        retrying { unlinkat(descriptor, name, 0) } == 0 || errno == ENOENT
    }

    /// Takes the lock of the folder; see ``DescriptorLock``.
    func takesLock() -> Bool { DescriptorLock.isTaken(for: descriptor) }

    /// Waits until the names of its files are on the disk.
    func synchronize() throws(FileError) {
        guard retrying({ fsync(descriptor) }) == 0 else {
            throw FileError(refused: path, "written")
        }
    }
}
