import Cambium
import Foundation
import Synchronization

/// An incremental store over dictionaries, as a service on the network might be one. It notes what
/// it is asked for, and can be told to fail.
final class DictionaryStore: IncrementalStore {
    struct Failure: Error {}

    struct Contents {
        /// By the name of the entity.
        var nodes: [String: [Int64: StoreNode]] = [:]
        var nextKey: Int64 = 1
        var requests: [String] = []
        var saves: [StoreSaveRequest] = []
        var isFailing = false
        var refusesKeys = false
        /// The names of entities whose rows cannot be read.
        var unreadable: Set<String> = []
        var refusesSaves = false
    }

    let identifier = UUID()
    let contents = Mutex(Contents())

    /// The type of this one store.
    var type: StoreType { .incremental("Dictionary") { [self] _ in self } }

    func loadMetadata() throws -> IncrementalStoreMetadata {
        IncrementalStoreMetadata(identifier: identifier, notes: ["made": "by hand"])
    }

    func nodes(for request: StoreFetchRequest) throws -> [StoreNode] {
        try contents.withLock { contents in
            if contents.isFailing || !contents.unreadable.isDisjoint(with: request.entityNames) {
                throw Failure()
            }
            contents.requests.append(
                request.entityNames.joined(separator: "+")
                    + (request.keys.map { " \($0.sorted())" } ?? "")
                    + (request.condition == nil ? "" : " where"))
            // More than what is asked for, as it is allowed.
            return request.entityNames.flatMap { Array((contents.nodes[$0] ?? [:]).values) }
                .filter { request.keys?.contains($0.key) ?? true }
        }
    }

    func save(_ request: StoreSaveRequest) throws {
        try contents.withLock { contents in
            if contents.isFailing || contents.refusesSaves { throw Failure() }
            contents.saves.append(request)
            for node in request.inserted + request.updated {
                contents.nodes[node.entityName, default: [:]][node.key] = node
            }
            for node in request.deleted { contents.nodes[node.entityName]?[node.key] = nil }
        }
    }

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64> {
        try contents.withLock { contents in
            if contents.refusesKeys { throw Failure() }
            defer { contents.nextKey += Int64(count) }
            return contents.nextKey..<contents.nextKey + Int64(count)
        }
    }
}
