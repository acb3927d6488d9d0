import CambiumRecords

/// The keys of rows that a fetch has found and the numbers of their entities, in the request's order:
/// 8 bytes for each row where all are of one entity, for lists that may be long.
struct MemberList: RandomAccessCollection {
    private var keys: [Int64] = []
    /// The entity of the first row, and of all while `entities` is empty.
    private var entity = 0
    /// The entity of each row, where they are of several.
    private var entities: [Int32] = []

    init() {}

    init(_ members: some Sequence<LinkSet.Member>) {
        for member in members { append(member) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { keys.count }

    subscript(position: Int) -> LinkSet.Member {
        LinkSet.Member(
            key: keys[position],
            entity: entities.isEmpty ? entity : Int(entities[position]))
    }

    mutating func append(_ member: LinkSet.Member) {
        if keys.isEmpty {
            entity = member.entity
        } else if entities.isEmpty, member.entity != entity {
            entities = Array(repeating: Int32(entity), count: keys.count)
        }
        if !entities.isEmpty { entities.append(Int32(member.entity)) }
        keys.append(member.key)
    }
}
