import CambiumRecords
import CambiumSQL

/// Which rows are wanted.
struct RowRequest {
    /// The near end of a relationship.
    struct Origin {
        /// The entity of the object.
        let entity: EntityDescription
        let key: Int64
        let relationship: RelationshipDescription
    }

    /// What selects the rows.
    enum Selection {
        /// Those that meet a condition; all without one.
        case matching(ModelExpression?, [String: Value])
        /// The one with the key.
        case key(Int64)
        /// Those with the keys.
        case keys([Int64])
        /// The far end of a relationship that the other side or pairs keep, in its order where that
        /// is stored.
        case farEnd(Origin)
    }

    let entity: EntityDescription
    let selection: Selection
    var includesSubentities = true
    /// The order; rows that are equal in it come in the order of their keys.
    var sort: [SortTerm] = []
    /// Whether the order does not matter, not even that of the keys.
    var isUnordered = false
    /// Whether the keys, versions and entities of the rows will do.
    var readsKeysOnly = false
    /// What can end the request before its time, from another thread.
    var interruption: Interruption?
    var limit: Int?
    var offset = 0

    /// The request for a reader that sorts by keys itself where nothing else is wanted: the order
    /// of the keys is that of the table, and a store that is left free delivers faster.
    var leavingOrderFree: RowRequest {
        var request = self
        request.isUnordered = sort.isEmpty && limit == nil && offset == 0
        return request
    }

    /// The keys that the rows have and that are all that is asked of them, in any order, some perhaps
    /// twice; nil where the request asks for something else, or for so few that it makes no
    /// difference.
    var keysAlone: [Int64]? {
        guard isUnordered, !readsKeysOnly, includesSubentities,
            case .matching(.comparison(let subject, .in, .list(let items), _)?, _) = selection,
            subject == .keyPath(root: .subject, names: []), items.count >= 64
        else { return nil }
        var keys: [Int64] = []
        keys.reserveCapacity(items.count)
        for item in items {
            guard case .literal(.int(let key)) = item else { return nil }
            keys.append(key)
        }
        return keys
    }
}
