/// A store's identity, the UUID in its metadata, in a form that compares fast.
struct StoreIdentifier: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// What objects have that belong to no store.
    static let none = StoreIdentifier(high: 0, low: 0)

    init(_ uuid: UUID) {
        (high, low) = withUnsafeBytes(of: uuid.uuid) { bytes in
            (
                bytes.loadUnaligned(as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
    }

    /// A new one.
    init() {
        self.init(UUID())
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// For a store that cannot be written and was never given a UUID: the same whenever its file is
    /// opened.
    init(path: String) {
        let absolute = URL(filePath: path).standardizedFileURL.path
        let digest = SHA256.digest(of: Array(absolute.utf8))
        self.init(UUID(bytes: Data(digest.prefix(16))) ?? UUID())
    }

    var uuid: UUID {
        let bytes = withUnsafeBytes(of: (high, low)) { Data($0) }
        return UUID(bytes: bytes) ?? UUID()
    }
}
