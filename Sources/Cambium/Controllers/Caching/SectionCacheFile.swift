import CambiumMigration
import CambiumModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file in which a controller's sections are kept, in a folder beside the store, and what must
/// be the same for them to count.
struct SectionCacheFile {
    private let storePath: String
    private let path: String
    private let request: String
    /// How the store looked before the fetch.
    private let store: String

    /// - Parameter request: What is fetched, by which model.
    /// - Returns: Nil where nobody could tell later whether the store has changed.
    init?(named name: String, ofStore storePath: String, request: String) {
        guard let store = Self.look(ofStore: storePath) else { return nil }
        self.storePath = storePath
        path = Self.path(of: name, storePath)
        self.request = request
        self.store = store
    }

    /// What is kept for the very same request and state of the store. A file that nobody
    /// understands keeps nothing.
    func read() -> SectionCache? {
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let cache = try? JSONDecoder().decode(SectionCache.self, from: data),
            cache.request == request, cache.store == store
        else { return nil }
        return cache
    }

    /// Keeps sections, unless something was written to the store since before the fetch. A cache
    /// that cannot be written is none.
    func write(_ sections: [SectionCache.Section], insteadOf old: SectionCache?) {
        let new = SectionCache(request: request, store: store, sections: sections)
        guard new != old, Self.look(ofStore: storePath) == store,
            let data = try? JSONEncoder().encode(new)
        else { return }
        let permissions = StorePermissions(of: storePath)
        let folder = Self.folder(ofStore: storePath)
        guard (try? permissions.makeFolder(folder)) != nil,
            let file = try? PartialFile(path, mode: permissions.mode(in: folder)),
            (try? file.append(data)) != nil
        else { return }
        try? file.finish(waits: false)
    }

    /// Removes what is kept under a name, or under all names.
    static func remove(_ name: String?, ofStore storePath: String) {
        try? FileManager.default.removeItem(
            atPath: name.map { path(of: $0, storePath) } ?? folder(ofStore: storePath))
    }

    // MARK: Places

    private static func folder(ofStore storePath: String) -> String { storePath + "-sections" }

    /// A name may be any text, and a file's name may not.
    private static func path(of name: String, _ storePath: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        let escaped = name.utf8.map { byte in
            if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
            return (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16)
        }
        return "\(folder(ofStore: storePath))/\(escaped.joined()).json"
    }

    // MARK: The store

    /// Clocks of file systems tick this slowly, in seconds: what was written since may look like
    /// what will be written next.
    private static let tick = 2

    /// How the database and its log look from outside, so that each commit, whoever makes it,
    /// makes them look otherwise; nil where that cannot be said yet, so soon after one.
    private static func look(ofStore storePath: String) -> String? {
        let newest = Int(Date.now.timeIntervalSince1970) - tick
        var words: [String] = []
        let path = ExternalForm.storeFile(behind: storePath)
        for file in [path, path + "-wal"] {
            var info = stat()
            // A log that is empty has nothing that the database does not have.
            guard stat(file, &info) == 0, info.st_size > 0 else { continue }
            #if canImport(Darwin)
                let changed = info.st_mtimespec
            #else
                let changed = info.st_mtim
            #endif
            guard Int(changed.tv_sec) < newest else { return nil }
            words.append(
                "\(info.st_ino) \(info.st_size) \(changed.tv_sec).\(changed.tv_nsec)")
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
