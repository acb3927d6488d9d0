import CambiumRecords

/// Lets no batch operation have unique values that others keep.
struct BatchArbiter: ConflictArbiter {
    let store: StoreIdentifier

    var strategy: ConflictStrategy? { nil }
    // The store's foreign keys refuse them.
    var checksKeys: Bool { false }

    // All rows were read in the same transaction.
    func judge(_ conflicts: [RowConflict]) -> [Verdict] { [] }

    func judge(_ collisions: [UniqueCollision]) throws -> [ConflictStrategy] {
        throw refusal(of: collisions)
    }

    func refusal(of collisions: [UniqueCollision]) -> any Error {
        ConstraintConflictError(
            conflicts: collisions.map { collision in
                func id(_ claim: UniqueCollision.Claim) -> ObjectID {
                    ObjectID(claim.entity, key: claim.id.key, store: store)
                }
                return ConstraintConflict(
                    constraint: collision.key.properties,
                    databaseObjectID: collision.claims.first { $0.kind == .stored }.map(id),
                    conflictingObjectIDs: collision.claims.filter { $0.kind != .stored }.map(id),
                    policy: .error, database: nil, conflicting: [])
            })
    }

    func refuse(_ keys: [DanglingKey], in plan: SavePlan) {}
}
