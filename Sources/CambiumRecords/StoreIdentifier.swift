import CambiumModel

/// A store's identity, the UUID in its metadata, in a form that compares fast.
public struct StoreIdentifier: Hashable, Sendable {
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt64

    /// Whether both are the same store. Written out so that other modules can inline it: look-ups
    /// compare identities of objects.
    @inlinable
    public static func == (one: StoreIdentifier, other: StoreIdentifier) -> Bool {
        one.low == other.low && one.high == other.high
    }

    /// The identifier of objects that belong to no store.
    public static let none = StoreIdentifier(high: 0, low: 0)

    package init(_ uuid: UUID) {
        self = withUnsafeBytes(of: uuid.uuid) { Self($0) }
    }

    /// - Parameter bytes: 16 of them, or more.
    private init(_ bytes: UnsafeRawBufferPointer) {
        high = bytes.loadUnaligned(as: UInt64.self)
        low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// A new one.
    public static func random() throws(RandomNumbersError) -> StoreIdentifier {
        StoreIdentifier(try UUID.random())
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The identifier of a store that cannot be written and has no UUID. It is the same each time
    /// the file is opened.
    public init(path: String) {
        let absolute = URL(filePath: path).standardizedFileURL.path
        let digest = SHA256.digest(of: Array(absolute.utf8))
        self = digest.withUnsafeBytes { Self($0) }
    }

    package var uuid: UUID {
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { bytes in
            bytes.storeBytes(of: high, as: UInt64.self)
            bytes.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }
}
