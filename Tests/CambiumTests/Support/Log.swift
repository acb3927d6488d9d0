import Synchronization

/// What was said, from any isolation.
final class Log: Sendable {
    private let contents = Mutex<[String]>([])

    var entries: [String] { contents.withLock { $0 } }

    func append(_ entry: String) {
        contents.withLock { $0.append(entry) }
    }
}
