/// The sections of a controller's results, as they are kept on the disk from one run of a program
/// to the next.
///
/// They count only where the request, the model and the store are what they were, and even then
/// only where they fit the rows (``ResultList/reset(to:dividedAs:)``). So a cache that is wrong,
/// for whatever reason, costs the time to work sections out again and nothing else.
struct SectionCache: Codable, Hashable {
    /// A section.
    struct Section: Codable, Hashable {
        let name: String
        let count: Int
    }

    /// What was fetched, from which store, by which model.
    let request: String
    /// How the files of the store looked from outside.
    let store: String
    /// The sections, in order.
    let sections: [Section]
}

/// The file in which a controller's sections are kept, in a folder beside the store, and what must
/// be the same for them to count.
struct SectionCacheFile {
    private let engine: any StoreEngine
    private let storePath: String
    private let path: String
    private let request: String
    /// The mark of the last commit before the fetch.
    private let store: String

    /// - Parameter request: What is fetched, by which model.
    /// - Returns: Nil where nobody could tell later whether the store has changed.
    init?(
        named name: String, of engine: any StoreEngine, at storePath: String, request: String
    ) {
        guard let store = engine.commitMark() else { return nil }
        self.engine = engine
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
        guard new != old, engine.commitMark() == store,
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
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8
        let escaped = name.utf8.map { byte in
            if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
            return (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16)
        }
        return "\(folder(ofStore: storePath))/\(escaped.joined()).json"
    }
}
