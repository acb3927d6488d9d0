import Cambium
import Foundation

/// A model by chance, and objects with many nils.
struct ConditionWorld {
    /// What values objects and conditions have.
    enum Values {
        /// A few small ones, so that many are equal.
        case small
        /// Also those at the limits of their types, which engines may trip over.
        case awkward
    }

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
    let values: Values

    private static let types: [AttributeType] = [
        .bool, .int16, .int32, .int64, .float, .double, .decimal(scale: 2), .decimal(scale: 4),
        .anyDecimal, .string, .date, .duration, .uuid, .uri, .enumeration("Level"),
    ]

    private static let awkwardTypes = types + [.data, .enumeration("Rank"), .string, .double]

    /// - Parameter values: Those of ``Values/awkward`` come with data and entities that inherit.
    init(_ values: Values = .small, using random: inout SeededGenerator) {
        self.values = values
        var kinds: [Kind] = []
        let types = values == .small ? Self.types : Self.awkwardTypes
        for number in 0...Int.random(in: 1...3, using: &random) {
            var kind = Kind(name: "E\(number)")
            for position in 0...Int.random(in: 2...6, using: &random) {
                let type = types.randomElement(using: &random) ?? .string
                // Some are parts of composite values.
                let part = values == .awkward && random.chance(0.2) ? ".part" : ""
                kind.properties.append(
                    Property(name: "p\(number)x\(position)\(part)", type: type))
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
        let ranks = (-1...2).map { EnumerationCase(name: "rank\($0 + 1)", rawValue: .int($0)) }
        let parents = kinds.indices.map { number in
            values == .awkward && number > 0 && random.chance(0.4) ? kinds[number - 1].name : nil
        }
        let entities = kinds.indices.map { number in
            Entity(
                name: kinds[number].name, parent: parents[number],
                attributes: kinds[number].properties.map {
                    Attribute(name: $0.name, type: $0.type, isOptional: true)
                }, relationships: relationships[number])
        }
        for number in kinds.indices where parents[number] != nil {
            kinds[number].properties = kinds[number - 1].properties + kinds[number].properties
            kinds[number].links = kinds[number - 1].links + kinds[number].links
        }
        self.kinds = kinds
        model = CompiledModel(
            Model(
                name: "World", version: "1", entities: entities,
                enumerations: [Enumeration(name: "Level", rawType: .string, cases: cases)]
                    + (values == .small
                        ? [] : [Enumeration(name: "Rank", rawType: .int64, cases: ranks)])))
    }

    /// Inserts objects of every entity and links some of them.
    func fill(_ context: ManagedObjectContext, using random: inout SeededGenerator) throws {
        var objects: [[ManagedObject]] = []
        for kind in kinds {
            objects.append(
                try (0..<Int.random(in: 2...12, using: &random)).map { _ in
                    let object = try context.insertObject(ofEntity: kind.name)
                    for property in kind.properties where random.chance(0.6) {
                        let value = value(of: property.type, using: &random)
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

    private static let words = ["", "a", "A", "b", "é", "e\u{301}", "Ab", "a*b", "ß", "aab", "_%"]

    /// A value out of few, so that some are equal.
    func value(of type: AttributeType, using random: inout SeededGenerator) -> Value {
        if values == .awkward, random.chance(0.5),
            let value = Self.awkwardValues(of: type).randomElement(using: &random)
        {
            return value
        }
        return Self.value(of: type, using: &random)
    }

    static let awkwardWords =
        [
            "É", "E\u{301}", "İ", "ſ", "\u{212A}", "ΑΣ", "%", "_", "\\", "\\%", "'", "\"", "*", "?",
            "a.b",
            " a ", "\u{A0}a\t", "\n", "😀", "a😀b", "Straße", "12", "-3.5", "0x1F", "1e3", "+1", ".5",
            "ab", "bab", "abab", "A%B", "x'y\"z", "[a]", "(a)", "\u{FEFF}a", "\u{7F}", "zz",
            "\\*", "a\\?b", "\\\\", "ﬁ", "ı", "\u{212B}", "Å", "가", "\u{1100}\u{1161}", "ς", "σ",
            "Σ",
            "𐐀", "𐐨", "ẞ", "\u{301}", "👨‍👩‍👧", "a\u{323}\u{307}", "a\u{307}\u{323}", "ǆ", "ǅ",
            "\u{200D}",
            "ŉ", "\u{345}", "\u{10FFFF}", "\u{FFFD}", "Ⅷ", "①", "\u{AD}", "\u{2028}", "\u{85}",
            "\u{0B}",
        ] + [String(repeating: "ab", count: 1500)]

    private static let awkwardDoubles: [Double] = [
        -0.0, 0.1, 0.3, -0.7, 1e16, 9_007_199_254_740_992, 0x1p63, -0x1p63, 1e19, 1e-5, 2.5, -2.5,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0x1p-1030,
        1e200,
        1e-200, .infinity, -.infinity,
    ]

    private static func awkwardValues(of type: AttributeType) -> [Value] {
        switch type {
        case .bool, .uuid, .codable, .enumeration: []
        case .int16: [.int(.init(Int16.min)), .int(.init(Int16.max))]
        case .int32: [.int(.init(Int32.min)), .int(.init(Int32.max))]
        case .int64:
            [
                Int64.min, .min + 1, .max, .max - 1, 1 << 53 + 1, 1 << 32, 3_037_000_500, 10, 100,
            ].map { .int($0) }
        case .double: awkwardDoubles.map { .double($0) }
        case .float: awkwardDoubles.map { .double(Double(Float($0))) }
        case .decimal(let scale):
            [Int64.min, .max, .max - 1, 1, -1, 12_345, 4_611_686_018_427_387_904].map {
                .decimal(DecimalStorage.decimal(ofUnits: $0, scale: scale))
            }
        case .anyDecimal:
            [
                "99999999999999999999999999999999999999",
                "-0.00000000000000000000000000000000000001",
                "12345678901234567890.123456789", "0.1", "1e100", "1e-100", "-1e-60", "3e30",
                "0.333333333333333333333333333333", "100", "9223372036854775808",
            ].compactMap { Decimal(string: $0).map { .decimal($0) } }
        case .date:
            [0.000_001, -0.5, 8e8, -8e9, 822_222_222.123_456, 63_000_000_000, -62_000_000_000].map {
                .date(Date(timeIntervalSinceReferenceDate: $0))
            }
        case .duration:
            [.min, .max, .max - 1, 1, -1, 86_400_000_000_000].map { .duration(.nanoseconds($0)) }
        case .uri:
            ["a", "https://a.b/%C3%A9", "x:y", "https://a.b/c?d=e#f"].compactMap {
                URL(string: $0).map { .uri($0) }
            }
        case .data: [Data(), Data([0]), Data([0, 255]), Data([97, 98])].map { .data($0) }
        case .string: awkwardWords.map { .string($0) }
        }
    }

    /// A small one.
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
        case .enumeration("Rank"): .int(min(2, max(-1, number)))
        case .data: .data(Data([UInt8(number + 2)]))
        case .enumeration: .string(["low", "HIGH", "mid"].randomElement(using: &random) ?? "low")
        case .string, .codable: .string(words.randomElement(using: &random) ?? "")
        }
    }
}
