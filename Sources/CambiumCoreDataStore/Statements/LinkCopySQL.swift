import CambiumModel
import CambiumSQL

/// The statements that copy the pairs of a relationship into our table of pairs.
struct LinkCopySQL: Sendable {
    private let link: CoreDataLayout.LinkSource
    private let target: String
    private let isPair: String
    private let bothExist: String
    /// Whether any copied link has an object that does not exist. All links of an object are
    /// checked together, in the order of the keys. Checking them one by one would read pages all
    /// over the file.
    let hasDangling: String
    /// Removes the copied links with an object that does not exist.
    let removeDangling: String
    private var from: String {
        "\(SQLText.identifier(ObjectCopySQL.source)).\(SQLText.identifier(link.table)) AS s "
            + "NOT INDEXED"
    }
    private var owner: String { "s.\(SQLText.identifier(link.ownerColumn))" }
    private var member: String { "s.\(SQLText.identifier(link.memberColumn))" }

    /// - Returns: nil if our store keeps the links elsewhere.
    init?(_ link: CoreDataLayout.LinkSource, in model: Model) {
        guard
            case .joinTable(let name, _, _) = model.storage(of: link.relationship, of: link.entity),
            let destination = model.entity(named: link.relationship.destination)
        else { return nil }
        self.link = link
        target = SQLText.identifier(name)
        let pair = ["_source", "_destination"].map {
            "\(SQLText.identifier(name)).\(SQLText.identifier($0))"
        }
        hasDangling =
            "SELECT "
            + zip(["_source", "_destination"], [link.entity, destination]).map { column, entity in
                KeyCheckSQL.hasDangling(
                    SQLText.identifier(column), in: SQLText.identifier(name), to: entity, model)
            }.joined(separator: " OR ")
        removeDangling =
            "DELETE FROM \(SQLText.identifier(name)) WHERE NOT EXISTS "
            + "(\(Self.object(link.entity, pair[0], model))) OR NOT EXISTS "
            + "(\(Self.object(destination, pair[1], model)))"
        isPair =
            "typeof(s.\(SQLText.identifier(link.ownerColumn))) = 'integer' "
            + "AND typeof(s.\(SQLText.identifier(link.memberColumn))) = 'integer'"
        bothExist =
            isPair + " AND EXISTS "
            + "(\(Self.object(link.entity, "s.\(SQLText.identifier(link.ownerColumn))", model)))"
            + " AND EXISTS "
            + "(\(Self.object(destination, "s.\(SQLText.identifier(link.memberColumn))", model)))"
    }

    private static func object(_ entity: Entity, _ key: String, _ model: Model) -> String {
        KeyCheckSQL.object(of: entity, key: key, in: model)
    }

    /// The number of links. Both values are read, so that a damaged page is an error and not
    /// counted as a link without objects.
    var count: String {
        "SELECT count(\(link.isOfMembers ? owner : "*")), total(\(owner) + \(member)) FROM \(from)"
    }

    /// The number of rows in our table; nil if it has two for each link.
    var rowCount: String? {
        link.isSymmetric ? nil : "SELECT count(*) FROM \(target)"
    }

    /// Copies all links. Links with missing objects must be removed afterwards.
    ///
    /// - Parameter hasInvalidPositions: Whether a position in a list may be a value that is not a
    ///   number. Such positions are not copied.
    func copies(hasInvalidPositions: Bool = false) -> [String] {
        let forward = copy(owner, member, positions: link.positions, hasInvalidPositions)
        return link.isSymmetric ? [forward, copy(member, owner, positions: [])] : [forward]
    }

    /// Whether the links have positions in an order.
    var hasPositions: Bool { !link.positions.isEmpty }

    /// Links with a position in the list of one of the two objects that is not a number.
    struct InvalidPositions: Sendable {
        /// Whether the list is that of the second side. The first side is then its inverse.
        let isOfInverse: Bool
        /// The owner of the list, and its member.
        let query: String
    }

    /// The queries of invalid positions, one for each list in which the links have a position.
    var invalidPositions: [InvalidPositions] {
        link.positions.map { position in
            let isOfInverse = position.target.hasPrefix("_destination")
            let ends = isOfInverse ? [member, owner] : [owner, member]
            return InvalidPositions(
                isOfInverse: isOfInverse,
                query: "SELECT \(ends.joined(separator: ", ")) FROM \(from) "
                    + "WHERE typeof(s.\(SQLText.identifier(position.source))) "
                    + "NOT IN ('integer', 'null') AND \(bothExist)")
        }
    }

    /// Copies in the order of Core Data's index, which avoids sorting, and compares the index with
    /// the table.
    struct ByIndex: Sendable {
        /// Copies all links.
        let copy: String
        /// Sums over the pairs of the old table. They equal the sums of the new one if both have
        /// the same pairs.
        let oldSums: String
        /// The sums over the new table.
        let newSums: String
        /// Removes all.
        let undo: String
    }

    /// Nil if the index does not contain all data to copy.
    var byIndex: ByIndex? {
        guard !link.isSymmetric, link.positions.isEmpty, !link.isOfMembers else {
            return nil
        }
        let source = SQLText.identifier(ObjectCopySQL.source)
        return ByIndex(
            copy: "INSERT OR IGNORE INTO \(target) (\"_source\", \"_destination\")\n"
                + "SELECT \(owner), \(member) FROM \(source).\(SQLText.identifier(link.table)) AS s\n"
                + "WHERE \(isPair) ORDER BY 1, 2",
            oldSums: Self.sums(of: owner, member) + " FROM \(from) WHERE \(isPair)",
            newSums: Self.sums(of: "\"_source\"", "\"_destination\"") + " FROM \(target)",
            undo: "DELETE FROM \(target)")
    }

    /// Damage is detected unless all sums are equal all the same. Without the upper bits of the
    /// keys, no sum can overflow.
    private static func sums(of owner: String, _ member: String) -> String {
        "SELECT count(*), sum(\(owner) & 4294967295), sum(\(member) & 4294967295), "
            + "sum((\(owner) & 16777215) * (\(member) & 16777215) % 1000000007)"
    }

    /// The number of pairs with two existing objects.
    var copiedCount: String {
        "SELECT count(*) FROM \(from) WHERE \(bothExist)"
    }

    /// The owner and the member of the other links. Neither must be a key.
    var lost: String {
        "SELECT \(owner), \(member) FROM \(from) WHERE "
            + (link.isOfMembers ? "\(owner) IS NOT NULL AND " : "") + "NOT (\(bothExist))"
    }

    private func copy(
        _ owner: String, _ member: String, positions: [(target: String, source: String)],
        _ hasInvalidPositions: Bool = false
    ) -> String {
        let names = (["_source", "_destination"] + positions.map(\.target)).map(SQLText.identifier)
        let sources = positions.map { "s.\(SQLText.identifier($0.source))" }.map {
            hasInvalidPositions ? "CASE typeof(\($0)) WHEN 'integer' THEN \($0) END" : $0
        }
        let values = [owner, member] + sources
        return "INSERT OR IGNORE INTO \(target) (\(names.joined(separator: ", ")))\n"
            + "SELECT \(values.joined(separator: ", ")) FROM \(from)\nWHERE \(isPair) ORDER BY 1, 2"
    }
}
