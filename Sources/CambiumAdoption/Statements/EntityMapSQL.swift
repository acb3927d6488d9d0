import CambiumModel
import CambiumSQL

/// The statements around a map of a hierarchy's objects: for each key a byte that says of which entity
/// its object is, and 0 where there is none. To look into it costs a fraction of looking for a row.
struct EntityMapSQL: Sendable {
    private let root: Entity
    private let numbers: [String: Int]
    private var table: String { SQLText.identifier(root.name) }

    init(_ root: Entity, in model: Model) {
        self.root = root
        let names = model.family(of: root).filter { !$0.isAbstract }.map(\.name)
        numbers = Dictionary(uniqueKeysWithValues: zip(names, 1...))
    }

    /// Whether a byte is enough for the entities.
    var isPossible: Bool { numbers.count < 256 }

    /// One row: how many objects there are, and the greatest key.
    var extent: String {
        "SELECT (SELECT count(*) FROM \(table)), (SELECT max(\"_id\") FROM \(table))"
    }

    /// Key and byte of all objects.
    var bytes: String {
        let cases = numbers.sorted { $0.value < $1.value }.map { name, number in
            "WHEN \(SQLText.literal(.text(name))) THEN \(number)"
        }
        return "SELECT \"_id\", CASE \"_entity\" \(cases.joined(separator: " ")) END "
            + "FROM \(table) NOT INDEXED"
    }

    /// SQL for the byte of a name in a column; NULL where it is none of some entities'.
    func byte(of column: String, among entities: [Entity]) -> String {
        let cases = entities.compactMap { entity in
            numbers[entity.name].map { number in
                "WHEN \(SQLText.literal(.text(entity.name))) THEN "
                    + SQLText.literal(.blob(Data([UInt8(truncatingIfNeeded: number)])))
            }
        }
        return cases.isEmpty ? "NULL" : "CASE \(column) \(cases.joined(separator: " ")) END"
    }
}
