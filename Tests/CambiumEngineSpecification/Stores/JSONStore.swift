import CambiumCustomStores
import Foundation

/// An atomic store in a file of JSON; in memory without one.
package final class JSONStore: AtomicStore {
    package static let type = StoreType.atomic("JSON") { JSONStore(path: $0.location.path) }

    private let path: String?

    package init(path: String?) {
        self.path = path
    }

    package func load() throws -> StoreContent? {
        guard let path, FileManager.default.fileExists(atPath: path) else { return nil }
        return try JSONDecoder().decode(
            StoreContent.self, from: Data(contentsOf: URL(filePath: path)))
    }

    package func save(_ content: StoreContent) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(content)
        if let path { try data.write(to: URL(filePath: path), options: .atomic) }
    }
}
