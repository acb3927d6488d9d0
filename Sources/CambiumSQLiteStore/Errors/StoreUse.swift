/// What the file of a store is used for, as errors say it.
struct StoreUse: Sendable {
    enum Operation: String, Sendable {
        case opening = "open"
        case reading = "read"
        case writing = "write"
    }

    let operation: Operation
    /// The path of the file.
    let path: String
    /// The hash of the version of the model that the store was opened with.
    let versionHash: String
}
