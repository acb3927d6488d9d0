import Cambium

/// A source of a package list.
struct PackageList: Sendable {
    /// The name of the list, for people.
    let name: String
    private let path: String?

    /// The machine's own list of installed packages.
    static let machinePath = "/var/lib/dpkg/status"

    /// The list at the path; without one the machine's own, or else the excerpt.
    init(path: String?) {
        let exists = FileManager.default.fileExists(atPath: Self.machinePath)
        self.path = path ?? (exists ? Self.machinePath : nil)
        name = self.path ?? "the excerpt in the program"
    }

    /// Calls the closure with every stanza, in order, until it returns false.
    ///
    /// Throws a ``FileError`` if the file cannot be read, and the errors of the closure.
    func forEachStanza(_ body: (ControlStanza) throws -> Bool) throws {
        if let path {
            try read(FileBytes(path: path), body)
        } else {
            try read(MemoryBytes(PackageResources.packages_deb822), body)
        }
    }

    private func read(
        _ source: some ByteSource, _ body: (ControlStanza) throws -> Bool
    ) throws {
        var reader = ControlReader(source, keeping: PackageRecord.fieldNames)
        while let stanza = try reader.next() {
            if try !body(stanza) { return }
        }
    }
}
