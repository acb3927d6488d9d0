import Cambium

/// The store of a run.
package struct DemoStore: Sendable {
    /// The name of its engine, for people.
    let name: String
    let location: StoreLocation
    /// The path of the file; nil if the store is not a file.
    let path: String?

    /// A store that is not a file. The first release starts with a file and did not support such
    /// stores.
    package init(name: String, location: StoreLocation) {
        self.name = name
        self.location = location
        path = nil
    }

    /// A store in SQLite.
    ///
    /// - Parameter path: The file; nil makes a new one in the directory for temporary files.
    package init(file path: String?) throws {
        let file = try path ?? Self.newFile()
        (name, location, self.path) = ("SQLite", .file(file), file)
    }

    private static func newFile() throws -> String {
        // This is a separate folder, so that no file of the previous run remains, not even a
        // backup.
        let folder = FileManager.default.temporaryDirectory.appending(path: "package-index")
        if FileManager.default.fileExists(atPath: folder.path) {
            try FileManager.default.removeItem(at: folder)
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: "store.sqlite").path
    }

    /// The bytes of the store's files; nil if it has none.
    var size: Int? {
        path.map { path in
            storeFiles(path).reduce(0) { sum, path in
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                // The type of the number differs between platforms.
                let size = attributes?[.size]
                return sum
                    + (size as? Int ?? (size as? any BinaryInteger).map { Int(clamping: $0) } ?? 0)
            }
        }
    }
}

/// The files that make up a SQLite store.
func storeFiles(_ path: String) -> [String] {
    [path, path + "-wal", path + "-shm"]
}
