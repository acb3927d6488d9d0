import Cambium
import Foundation

/// An atomic store in a file of JSON; in memory without one.
final class JSONStore: AtomicStore {
    static let type = StoreType.atomic("JSON") { JSONStore(path: $0.location.path) }

    private let path: String?

    init(path: String?) {
        self.path = path
    }

    func load() throws -> StoreContent? {
        guard let path, FileManager.default.fileExists(atPath: path) else { return nil }
        return try JSONDecoder().decode(
            StoreContent.self, from: Data(contentsOf: URL(filePath: path)))
    }

    func save(_ content: StoreContent) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(content)
        if let path { try data.write(to: URL(filePath: path), options: .atomic) }
    }
}
