/// The slot of each property of an entity's objects in a row in memory, and the column of each slot
/// in the table.
///
/// Slots of ancestors come first, so that a class can read its own properties of an object of a
/// subclass. The emitter uses this layout to write slot numbers into accessors, and the runtime
/// uses it to fill the slots.
public struct RecordLayout: Sendable, Equatable {
    /// A place for one value.
    public struct Slot: Sendable, Equatable {
        /// The property that it belongs to; a polymorphic to-one has a second slot for the entity.
        public let property: String
        /// The storage of the value.
        public let storage: StorageClass
        /// The table's column, or nil for a transient property.
        public let column: String?
        /// Whether the store keeps the value.
        package var isStored: Bool { column != nil }
        /// Whether this is the second slot of a polymorphic to-one.
        public let isEntityOfKey: Bool
    }

    /// The slots in order.
    public let slots: [Slot]
    private let slotByProperty: [String: Int]

    /// Lays out the rows of an entity.
    public init(of entity: Entity, in model: Model) {
        var slots: [Slot] = []
        for ancestor in model.lineage(of: entity) {
            for attribute in ancestor.attributes {
                slots.append(
                    Slot(
                        property: attribute.name, storage: model.storageClass(of: attribute.type),
                        column: attribute.isTransient
                            ? nil : model.column(of: attribute.name, in: ancestor),
                        isEntityOfKey: false))
            }
            for relationship in ancestor.relationships {
                let column: String?
                let entityColumn: String?
                let hasEntity: Bool
                switch model.storage(of: relationship, of: ancestor) {
                case .key(let key, let entity):
                    (column, entityColumn, hasEntity) = (key, entity, entity != nil)
                case .transient where !relationship.isToMany:
                    let destination = model.entity(named: relationship.destination)
                    hasEntity = destination.map(model.hasSubentities) ?? false
                    (column, entityColumn) = (nil, nil)
                case .transient, .inverseKey, .joinTable:
                    continue
                }
                slots.append(
                    Slot(
                        property: relationship.name, storage: .integer, column: column,
                        isEntityOfKey: false))
                if hasEntity {
                    slots.append(
                        Slot(
                            property: relationship.name, storage: .text, column: entityColumn,
                            isEntityOfKey: true))
                }
            }
        }
        self.slots = slots
        slotByProperty = Dictionary(
            slots.enumerated().map { ($1.property, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the (first) slot of a property, or nil if it has none (a to-many, the far side of a
    /// one-to-one).
    public func slot(of property: String) -> Int? {
        slotByProperty[property]
    }
}

/// The columns of a table that cannot have the name of their property.
///
/// A column has the name of its property. If two columns of a table would have the same name, each
/// of them is `Entity_property`. SQLite's names are case-insensitive. A to-one relationship also
/// needs the names of its additional columns. Names that start with an underscore belong to the
/// store.
struct ColumnNames {
    /// For each entity of the table the columns of its own properties that have another name.
    private(set) var columns: [[String: String]]

    private final class Claim {
        let owner: Int
        let property: String
        /// The name of the column, if no other has it.
        let column: String
        /// The suffixes of the additional columns that the property needs.
        let suffixes: [String]
        /// The name in lower case.
        let folded: String

        init(_ owner: Int, _ property: String, suffixes: [String] = []) {
            self.owner = owner
            self.property = property
            self.suffixes = suffixes
            column = ColumnNames.plainName(of: property)
            folded = column.lowercased()
        }

        /// Returns all names of columns that it needs if its column has a name, in lower case.
        func names(with column: String) -> [String] {
            ([""] + suffixes).map { (column + $0).lowercased() }
        }
    }

    /// - Parameters:
    ///   - family: The entities of the table.
    ///   - suffixes: The suffixes of the additional columns of a to-one relationship, besides its
    ///     key column.
    init(of family: [Entity], suffixes: (Relationship) -> [String]) {
        columns = [[String: String]](repeating: [:], count: family.count)
        let claims = Self.claims(of: family, suffixes)
        var declarations: [String: Int] = [:]
        for entity in family where family.count > 1 {
            for attribute in entity.attributes { declarations[attribute.name, default: 0] += 1 }
            for relationship in entity.relationships {
                declarations[relationship.name, default: 0] += 1
            }
        }
        var wanted: [String: Int] = [:]
        var beside: Set<String> = []
        for claim in claims {
            wanted[claim.folded, default: 0] += 1
            if !claim.suffixes.isEmpty {
                beside.formUnion(claim.names(with: claim.column).dropFirst())
            }
        }
        func isFree(_ claim: Claim) -> Bool {
            wanted[claim.folded] == 1 && declarations[claim.property] ?? 1 == 1
                && !beside.contains(claim.folded) && !claim.folded.hasPrefix("_")
        }
        var others: [Claim] = []
        var taken: Set<String> = []
        for claim in claims {
            if isFree(claim) {
                taken.formUnion(claim.names(with: claim.column))
            } else {
                others.append(claim)
            }
        }
        for claim in others {
            let first = "\(family[claim.owner].name)_\(claim.column)"
            var column = first
            var number = 2
            while !taken.isDisjoint(with: claim.names(with: column)) {
                column = "\(first)_\(number)"
                number += 1
            }
            taken.formUnion(claim.names(with: column))
            columns[claim.owner][claim.property] = column
        }
    }

    private static func claims(
        of family: [Entity], _ suffixes: (Relationship) -> [String]
    ) -> [Claim] {
        var claims: [Claim] = []
        for (owner, entity) in family.enumerated() {
            for attribute in entity.attributes where !attribute.isTransient {
                claims.append(Claim(owner, attribute.name))
            }
            for toOne in entity.relationships where !toOne.isToMany && !toOne.isTransient {
                claims.append(Claim(owner, toOne.name, suffixes: suffixes(toOne)))
            }
        }
        return claims
    }

    /// Returns the name of a property in the form of a column name.
    static func plainName(of property: String) -> String {
        guard property.utf8.contains(UInt8(ascii: ".")) else { return property }
        return String(property.map { $0 == "." ? "_" : $0 })
    }
}

/// The columns that every table has in addition to the columns of the model. Real models have
/// attributes named `id` and `version`. The names therefore start with an underscore, and the
/// compiler rejects such names in a model.
package enum SystemColumn {
    /// The object's key, unique in its hierarchy and never reused.
    package static let key = "_id"
    /// The number of times the row was saved.
    package static let version = "_version"
    /// The name of the object's entity, if the root has sub-entities.
    package static let entity = "_entity"
}
