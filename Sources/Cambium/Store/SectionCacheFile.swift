/// The sections of a controller's results, as they are kept on the disk between runs of a program.
///
/// They are used only if the request, the model and the store are unchanged, and only if they fit
/// the rows (``ResultList/reset(to:dividedAs:)``). For this reason, a wrong cache costs the time to
/// compute the sections again and nothing else.
struct SectionCache: Codable, Hashable {
    /// A section.
    struct Section: Codable, Hashable {
        let name: String
        let count: Int
    }

    /// The request, with the store and the model.
    let request: String
    /// The state of the store's files.
    let store: String
    /// The sections, in order.
    let sections: [Section]
}

/// The file of a controller's sections, in a folder next to the store, with the values that must be
/// unchanged for their use.
struct SectionCacheFile {
    private let engine: any StoreEngine
    private let storePath: String
    private let path: String
    private let request: String
    /// The mark of the last commit before the fetch.
    private let store: String

    /// - Parameter request: The request, with the model.
    /// - Returns: Nil if a later change of the store could not be detected.
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

    /// Returns the sections for the same request and state of the store. An unreadable file is
    /// ignored.
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

    /// Removes the file of a name, or the files of all names.
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
