import CambiumModel
import CambiumSQL
import CambiumSQLite

/// An object in memory whose row is in the database too.
final class ShopObject: ExpressionSubject {
    let entity: Entity
    let expressionKey: Int64
    var values: [String: Value] = [:]
    var toOnes: [String: ShopObject] = [:]
    var toManys: [String: [ShopObject]] = [:]

    init(_ entity: Entity, key: Int64) {
        self.entity = entity
        expressionKey = key
    }

    var expressionEntity: String { entity.name }
    func value(ofAttribute name: String) -> Value { values[name] ?? .null }
    func related(_ toOne: String) -> (any ExpressionSubject)? { toOnes[toOne] }
    func relatedObjects(_ toMany: String) -> [any ExpressionSubject] { toManys[toMany] ?? [] }
}

/// A graph of objects full of nils, doubles and extremes, in memory and in SQLite.
struct RandomShop {
    let items: [ShopObject]
    let boxes: [ShopObject]
    let labels: [ShopObject]
    let tags: [ShopObject]

    init(using random: inout some RandomNumberGenerator) {
        func make(_ name: String, _ count: Int) -> [ShopObject] {
            let entity = ExpressionFixture.entity(name)
            return (1...count).map { key in
                let object = ShopObject(entity, key: Int64(key))
                for attribute in entity.attributes {
                    object.values[attribute.name] =
                        attribute.isOptional && Int.random(in: 0..<3, using: &random) == 0
                        ? .null : Self.value(of: attribute.type, using: &random)
                }
                return object
            }
        }
        items = make("Item", 40)
        boxes = make("Box", 8)
        labels = make("Label", 20)
        tags = make("Tag", 6)
        for item in items {
            if let box = boxes.randomElement(using: &random), Bool.random(using: &random) {
                item.toOnes["box"] = box
                box.toManys["items", default: []].append(item)
            }
            for tag in tags where Int.random(in: 0..<4, using: &random) == 0 {
                item.toManys["tags", default: []].append(tag)
                tag.toManys["items", default: []].append(item)
            }
        }
        for box in boxes {
            if let parent = boxes.randomElement(using: &random), Bool.random(using: &random) {
                box.toOnes["parent"] = parent
                parent.toManys["children", default: []].append(box)
            }
        }
        for (item, label) in zip(items.shuffled(using: &random), labels.prefix(15)) {
            item.toOnes["label"] = label
            label.toOnes["item"] = item
        }
    }

    static let words = [
        "", "a", "A", "ab", "Ab", "é", "e\u{301}", "É", "*", "a?b", "[x]", "12", "ß",
    ]
    static let doubles: [Double] = [0, -0.0, 0.5, 1, 1.5, -2.25, 3, 1e300, -.infinity]
    static let integers: [Int64] = [0, 1, 2, -1, 3, 7, .max, .min, 1 << 53 + 1]

    static func value(
        of type: AttributeType, using random: inout some RandomNumberGenerator
    ) -> Value {
        func pick<T>(_ all: [T], _ other: T) -> T { all.randomElement(using: &random) ?? other }
        switch type {
        case .bool: return .bool(.random(using: &random))
        case .int16, .int32: return .int(.random(in: -2...4, using: &random))
        case .float, .double: return .double(pick(doubles, 0))
        case .decimal(let scale):
            return .decimal(
                DecimalStorage.decimal(
                    ofUnits: pick([0, 1, -1, 5, 50, 99, 100, 150, 20000, .max, .min + 1], 0),
                    scale: scale))
        case .anyDecimal:
            return .decimal(
                pick(["0", "1", "-1.5", "0.5", "0.005", "20000", "1e30", "-1e-30", "0.1"], "0")
                    .decimal)
        case .codable: return .string(pick(["\"red\"", "\"blue\""], "\"red\""))
        case .string: return .string(pick(words, ""))
        case .date:
            return .date(Date(timeIntervalSinceReferenceDate: pick([0, 1.5, 86400, -1], 0)))
        case .enumeration: return .string(pick(["book", "TOY"], "book"))
        default: return .int(pick(integers, 0))
        }
    }

    // MARK: The database

    func store() throws -> Connection {
        let connection = try Connection(path: ":memory:")
        try connection.registerStoreFunctions()
        let model = ExpressionFixture.model
        for entity in model.entities {
            var columns = ["\"_id\" INTEGER PRIMARY KEY"]
            for attribute in entity.attributes where !attribute.isTransient {
                let type = model.storageClass(of: attribute.type).rawValue
                let column = model.column(of: attribute.name, in: entity)
                columns.append("\(SQLText.identifier(column)) \(type)")
            }
            for relationship in entity.relationships {
                switch model.storage(of: relationship, of: entity) {
                case .key(let column, _):
                    columns.append("\(SQLText.identifier(column)) INTEGER")
                case .joinTable(let name, _, _):
                    try connection.execute(
                        "CREATE TABLE IF NOT EXISTS \(SQLText.identifier(name)) "
                            + "(\"_source\" INTEGER, \"_destination\" INTEGER) STRICT")
                case .inverseKey, .transient: break
                }
            }
            try connection.execute(
                "CREATE TABLE \(SQLText.identifier(entity.name)) "
                    + "(\(columns.joined(separator: ", "))) STRICT")
        }
        for object in items + boxes + labels + tags { try insert(object, into: connection) }
        return connection
    }

    private func insert(_ object: ShopObject, into connection: Connection) throws {
        let model = ExpressionFixture.model
        var row: [(column: String, value: StoredValue)] = [("_id", .integer(object.expressionKey))]
        for attribute in object.entity.attributes where !attribute.isTransient {
            let value = object.values[attribute.name] ?? .null
            let column = model.column(of: attribute.name, in: object.entity)
            row.append((column, model.stored(value, as: attribute.type) ?? .null))
        }
        for relationship in object.entity.relationships {
            switch model.storage(of: relationship, of: object.entity) {
            case .key(let column, _):
                let key = object.toOnes[relationship.name]?.expressionKey
                row.append((column, key.map { .integer($0) } ?? .null))
            case .joinTable(let name, let source, let destination)
            where object.entity.name == "Tag":
                for other in object.toManys[relationship.name] ?? [] {
                    try connection.execute(
                        "INSERT INTO \(SQLText.identifier(name)) (\(source), \(destination)) "
                            + "VALUES (\(object.expressionKey), \(other.expressionKey))")
                }
            case .joinTable, .inverseKey, .transient: break
            }
        }
        let columns = row.map { SQLText.identifier($0.column) }.joined(separator: ", ")
        let values = row.map { SQLText.literal($0.value) }.joined(separator: ", ")
        try connection.execute(
            "INSERT INTO \(SQLText.identifier(object.entity.name)) (\(columns)) VALUES (\(values))")
    }
}

extension String {
    fileprivate var decimal: Decimal { Decimal(string: self) ?? 0 }
}
