import Cambium
import Foundation

/// A model by chance, and objects with many nils.
struct ConditionWorld {
    struct Property {
        let name: String
        let type: AttributeType
    }

    struct Link {
        let name: String
        let destination: Int
        let isToMany: Bool
    }

    /// What conditions about an entity's objects may use.
    struct Kind {
        let name: String
        var properties: [Property] = []
        var links: [Link] = []
    }

    private(set) var kinds: [Kind] = []
    let model: CompiledModel

    private static let types: [AttributeType] = [
        .bool, .int16, .int32, .int64, .float, .double, .decimal(scale: 2), .decimal(scale: 4),
        .anyDecimal, .string, .date, .duration, .uuid, .uri, .enumeration("Level"),
    ]

    init(using random: inout SeededGenerator) {
        var kinds: [Kind] = []
        for number in 0...Int.random(in: 1...3, using: &random) {
            var kind = Kind(name: "E\(number)")
            for position in 0...Int.random(in: 2...6, using: &random) {
                let type = Self.types.randomElement(using: &random) ?? .string
                kind.properties.append(Property(name: "p\(number)x\(position)", type: type))
            }
            kinds.append(kind)
        }
        var relationships: [[Relationship]] = kinds.map { _ in [] }
        for number in 0...Int.random(in: 1...4, using: &random) {
            let source = Int.random(in: 0..<kinds.count, using: &random)
            let destination = Int.random(in: 0..<kinds.count, using: &random)
            let isToMany = random.chance(0.4)
            let isInverseToMany = isToMany || random.chance(0.8)
            let (name, inverse) = ("r\(number)", "i\(number)")
            relationships[source].append(
                Relationship(
                    name: name, destination: kinds[destination].name, inverse: inverse,
                    isToMany: isToMany))
            relationships[destination].append(
                Relationship(
                    name: inverse, destination: kinds[source].name, inverse: name,
                    isToMany: isInverseToMany, isOrdered: isInverseToMany && random.chance(0.3)))
            kinds[source].links.append(
                Link(name: name, destination: destination, isToMany: isToMany))
            kinds[destination].links.append(
                Link(name: inverse, destination: source, isToMany: isInverseToMany))
        }
        let cases = ["low", "HIGH", "mid"].map {
            EnumerationCase(name: $0.lowercased(), rawValue: .string($0))
        }
        let entities = zip(kinds, relationships).map { kind, relationships in
            Entity(
                name: kind.name,
                attributes: kind.properties.map {
                    Attribute(name: $0.name, type: $0.type, isOptional: true)
                }, relationships: relationships)
        }
        self.kinds = kinds
        model = CompiledModel(
            Model(
                name: "World", version: "1", entities: entities,
                enumerations: [Enumeration(name: "Level", rawType: .string, cases: cases)]))
    }

    /// Inserts objects of every entity and links some of them.
    func fill(_ context: ManagedObjectContext, using random: inout SeededGenerator) throws {
        var objects: [[ManagedObject]] = []
        for kind in kinds {
            objects.append(
                try (0..<Int.random(in: 2...12, using: &random)).map { _ in
                    let object = try context.insertObject(ofEntity: kind.name)
                    for property in kind.properties where random.chance(0.6) {
                        let value = Self.value(of: property.type, using: &random)
                        try object.setValue(value, forKey: property.name)
                    }
                    return object
                })
        }
        for (number, kind) in kinds.enumerated() {
            for link in kind.links where link.name.hasPrefix("r") {
                for object in objects[number] where random.chance(0.6) {
                    guard let other = objects[link.destination].randomElement(using: &random)
                    else { continue }
                    if link.isToMany {
                        try object.relatedObjects(forKey: link.name).insert(other)
                    } else {
                        try object.setRelatedObject(other, forKey: link.name)
                    }
                }
            }
        }
    }

    static let words = ["", "a", "A", "b", "é", "e\u{301}", "Ab", "a*b", "ß", "aab", "_%"]

    /// A value out of few, so that some are equal.
    static func value(of type: AttributeType, using random: inout SeededGenerator) -> Value {
        let number = Int64.random(in: -2...3, using: &random)
        return switch type {
        case .bool: .bool(number > 0)
        case .int16, .int32: .int(number)
        case .int64: .int(random.chance(0.1) ? .max - 1 : number)
        case .float, .double: .double(Double(number) / 2)
        case .decimal(let scale):
            .decimal(DecimalStorage.decimal(ofUnits: number * 50, scale: scale))
        case .anyDecimal: .decimal(Decimal(number) / 4)
        case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case .duration: .duration(.milliseconds(number * 500))
        case .uuid:
            .uuid(
                UUID(
                    uuid: (UInt8(number + 2), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .uri: URL(string: "https://a.b/\(number + 2)").map { .uri($0) } ?? .null
        case .enumeration: .string(["low", "HIGH", "mid"].randomElement(using: &random) ?? "low")
        case .string, .data, .codable: .string(words.randomElement(using: &random) ?? "")
        }
    }
}
