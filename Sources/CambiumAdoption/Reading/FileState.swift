import CambiumModel

/// What tells whether a file was written meanwhile.
struct FileState: Equatable {
    private let size: Int?
    private let date: Date?

    /// The state of a file; of one that is not there too.
    init(of path: String) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        size = attributes?[.size] as? Int
        date = attributes?[.modificationDate] as? Date
    }

    /// Whether there is a file with anything in it.
    var hasContent: Bool { (size ?? 0) > 0 }
}
