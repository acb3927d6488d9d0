import CambiumModel

/// The number of links of each relationship that were read and written. Counts of one side also
/// apply to the other.
struct LinkCounts {
    private struct Side: Hashable {
        let entity: String
        let relationship: String
    }

    private let model: Model
    private var reads: [Side: Int] = [:]
    private var writes: [Side: Int] = [:]

    init(_ model: Model) {
        self.model = model
    }

    /// Records the number of links of a relationship in the old store.
    mutating func read(_ count: Int, of relationship: Relationship, _ entity: Entity) {
        reads[Side(entity: entity.name, relationship: relationship.name)] = count
    }

    /// Records the number of links in the new store.
    mutating func wrote(_ count: Int, of relationship: Relationship, _ entity: Entity) {
        writes[Side(entity: entity.name, relationship: relationship.name)] = count
    }

    /// Records how many of the read links are not in the new store.
    mutating func lost(_ count: Int, of relationship: Relationship, _ entity: Entity) {
        let side = Side(entity: entity.name, relationship: relationship.name)
        writes[side] = (reads[side] ?? 0) - count
    }

    /// The counts of all relationships, in the order of the model.
    var counts: [CoreDataImportReport.RelationshipCount] {
        model.entities.flatMap { entity in
            entity.relationships.compactMap { relationship in
                let side = Side(entity: entity.name, relationship: relationship.name)
                let other = model.inverse(of: relationship).map {
                    Side(entity: $0.entity.name, relationship: $0.relationship.name)
                }
                guard let read = reads[side] ?? other.flatMap({ reads[$0] }),
                    let written = writes[side] ?? other.flatMap({ writes[$0] })
                else { return nil }
                return .init(
                    entity: entity.name, relationship: relationship.name,
                    inverse: other.map { "\($0.entity).\($0.relationship)" }, read: read,
                    written: min(written, read), lost: max(0, read - written))
            }
        }
    }
}
