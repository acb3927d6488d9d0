import CambiumModel
import CambiumSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Who may read and write a store. What is made of it (copies, files of large values, exports)
/// allows no more access, from its creation on; the process's mask takes away from that.
package struct StorePermissions: Sendable {
    /// The bits of the store's file.
    private let bits: FileMode
    /// The group that they are about.
    private let group: gid_t

    /// Reads them from a store's file, which may be a link; where there is none, only the owner may
    /// do anything.
    package init(of path: String) {
        self = StorePermissions(ofFile: path) ?? StorePermissions(bits: 0, group: 0)
    }

    private init(bits: FileMode, group: gid_t) {
        (self.bits, self.group) = (bits, group)
    }

    /// The same; nil where there is no file.
    package init?(ofFile path: String) {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(bits: info.st_mode, group: info.st_gid)
    }

    /// The bits of a file that is made in a folder. Its owner, who makes it, may read and write it.
    package func mode(in folder: String) -> FileMode {
        let others = bits & 0o006
        let members = Self.group(ofFilesIn: folder) == group ? bits & 0o060 : others << 3 & bits
        return 0o600 | members | others
    }

    /// Opens a folder, which is made where there is none: who may read files may search it.
    ///
    /// - Throws: ``FileError``, also where there is something else of that name.
    @discardableResult
    package func makeFolder(_ path: String) throws(FileError) -> SystemFolder {
        let mode = mode(in: StoreFiles.folder(of: path))
        return try SystemFolder(making: path, mode: mode | (mode & 0o444) >> 2)
    }

    /// The group that the system gives to a new file.
    private static func group(ofFilesIn folder: String) -> gid_t {
        var info = stat()
        guard stat(folder, &info) == 0 else { return getegid() }
        #if canImport(Darwin)
            return info.st_gid
        #else
            return info.st_mode & S_ISGID != 0 ? info.st_gid : getegid()
        #endif
    }

    /// Takes away from a file what the store does not allow.
    ///
    /// - Throws: ``FileError``.
    package func restrict(_ path: String) throws(FileError) {
        var info = stat()
        guard stat(path, &info) == 0 else { throw FileError(refused: path, "read") }
        let present = info.st_mode & 0o7777
        let allowed = present & (mode(in: StoreFiles.folder(of: path)) | ~0o666)
        guard allowed == present || chmod(path, allowed) == 0 else {
            throw FileError(refused: path, "kept from those who may not read the store")
        }
    }

    /// Makes an empty file, which SQLite takes for an empty database.
    ///
    /// - Throws: ``FileError``, also where there is something of that name.
    package func makeFile(_ path: String) throws(FileError) {
        _ = try SystemFile.making(path, mode: mode(in: StoreFiles.folder(of: path)))
    }
}

extension Connection {
    /// Copies the whole database to a new file, as it is now, which only those may read who may
    /// read the store.
    ///
    /// - Parameters:
    ///   - store: The path of the store; nil in memory.
    ///   - path: The new file.
    ///   - goesOn: As for `copy`.
    /// - Throws: `SQLiteError` where there is something at the path, where the file cannot be
    ///   written, or the copy was ended. A half-written copy may remain.
    package func backUp(
        _ store: String?, to path: String,
        _ goesOn: (_ copied: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        do {
            if let store { try StorePermissions(of: store).makeFile(path) }
        } catch {
            let cannotOpen: Int32 = 14
            throw SQLiteError(code: cannotOpen, message: "\(error)")
        }
        try backup(to: path, goesOn)
    }
}
