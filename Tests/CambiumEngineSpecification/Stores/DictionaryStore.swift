import CambiumCustomStores
import Foundation
import Synchronization

/// An incremental store over dictionaries, as a service on the network might be one. It notes what
/// it is asked for, and can be told to fail.
package final class DictionaryStore: IncrementalStore {
    package struct Failure: Error {}

    package struct Contents {
        package var notes = ["made": "by hand"]
        /// By the name of the entity.
        package var nodes: [String: [Int64: StoreNode]] = [:]
        package var nextKey: Int64 = 1
        package var requests: [String] = []
        package var saves: [StoreSaveRequest] = []
        package var isFailing = false
        package var refusesKeys = false
        /// The names of entities whose rows cannot be read.
        package var unreadable: Set<String> = []
        package var refusesSaves = false
    }

    package let identifier = UUID()
    package let contents = Mutex(Contents())

    package init() {}

    /// The type of this one store.
    package var type: StoreType { .incremental("Dictionary") { [self] _ in self } }

    package func loadMetadata() throws -> IncrementalStoreMetadata {
        IncrementalStoreMetadata(
            identifier: identifier, notes: contents.withLock { $0.notes })
    }

    package func nodes(for request: StoreFetchRequest) throws -> [StoreNode] {
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

    package func save(_ request: StoreSaveRequest) throws {
        try contents.withLock { contents in
            if contents.isFailing || contents.refusesSaves { throw Failure() }
            contents.saves.append(request)
            if let notes = request.notes { contents.notes = notes }
            for node in request.inserted + request.updated {
                contents.nodes[node.entityName, default: [:]][node.key] = node
            }
            for node in request.deleted { contents.nodes[node.entityName]?[node.key] = nil }
        }
    }

    package func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64> {
        try contents.withLock { contents in
            if contents.refusesKeys { throw Failure() }
            defer { contents.nextKey += Int64(count) }
            return contents.nextKey..<contents.nextKey + Int64(count)
        }
    }
}
