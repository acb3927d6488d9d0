import Cambium

/// Random trees over a random model that the checker accepts.
struct RandomCondition {
    let world: ConditionWorld
    private var kinds: [ConditionWorld.Kind] { world.kinds }
    var random: SeededGenerator
    private var variableCount = 0
    /// Whether the last condition names objects by their keys, for which a text has no words.
    private(set) var namesKeys = false

    init(_ world: ConditionWorld, using random: SeededGenerator) {
        self.world = world
        self.random = random
    }

    /// An object that a condition is about.
    private struct Place {
        let kind: ConditionWorld.Kind
        let root: PathRoot
        let names: [String]

        func path(_ name: String) -> ModelExpression {
            // A part of a composite value has several names.
            .keyPath(root: root, names: names + name.split(separator: ".").map(String.init))
        }
    }

    mutating func condition(of kind: Int, depth: Int) -> ModelExpression {
        namesKeys = false
        return condition(Place(kind: kinds[kind], root: .subject, names: []), depth)
    }

    private mutating func condition(_ place: Place, _ depth: Int) -> ModelExpression {
        guard depth > 0 else { return comparison(place) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: return .and([condition(place, depth - 1), condition(place, depth - 1)])
        case 2, 3: return .or([condition(place, depth - 1), condition(place, depth - 1)])
        case 4: return .not(condition(place, depth - 1))
        case 5: return members(place, depth) ?? comparison(place)
        case 6:
            return .conditional(
                condition(place, depth - 1), then: condition(place, depth - 1),
                otherwise: condition(place, depth - 1))
        default: return comparison(place)
        }
    }

    /// The object, or one that to-ones lead to.
    private mutating func further(_ place: Place) -> Place {
        let links = place.kind.links.filter { !$0.isToMany }
        guard place.names.count < 3, random.chance(0.4),
            let link = links.randomElement(using: &random)
        else { return place }
        return further(
            Place(
                kind: kinds[link.destination], root: place.root, names: place.names + [link.name]))
    }

    private static let orders: [ComparisonOperator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    private mutating func comparison(_ start: Place) -> ModelExpression {
        let place = further(start)
        if random.chance(0.15), let link = place.kind.links.first(where: { !$0.isToMany }) {
            return .comparison(
                place.path(link.name), random.chance(0.5) ? .equal : .notEqual, .literal(.null),
                [])
        }
        if random.chance(0.05) { return identity(place, start) }
        if world.values == .awkward, random.chance(0.15), let odd = odd(place) { return odd }
        if world.values == .awkward, random.chance(0.4) { return computed(place) }
        guard let property = place.kind.properties.randomElement(using: &random) else {
            return .and([])
        }
        let path = place.path(property.name)
        let constant = constant(property.type)
        let hasOrder =
            switch property.type {
            case .bool, .uuid, .uri, .enumeration, .data, .codable: false
            default: true
            }
        let relation =
            hasOrder
            ? Self.orders.randomElement(using: &random) ?? .equal
            : random.chance(0.5) ? .equal : .notEqual
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let list = (0...3).map { _ in self.constant(property.type) }
            return .comparison(path, .in, .list(list), [])
        case 1 where hasOrder && property.type != .string:
            return .between(path, lower: constant, upper: self.constant(property.type))
        case 2, 3:
            guard property.type == .string else { break }
            let operation: [ComparisonOperator] = [
                .beginsWith, .endsWith, .contains, .like, .equal, .less, .greaterOrEqual,
            ]
            let options: [ComparisonOptions] = [
                [], [], .caseInsensitive, .diacriticInsensitive,
                [.caseInsensitive, .diacriticInsensitive],
            ]
            return .comparison(
                path, operation.randomElement(using: &random) ?? .equal, constant,
                options.randomElement(using: &random) ?? [])
        case 4:
            // Another property of the same type, of this object or of the one it starts from.
            let others = start.kind.properties.filter { $0.type == property.type }
            guard let other = others.randomElement(using: &random) else { break }
            return .comparison(path, relation, start.path(other.name), [])
        case 5 where property.type == .int32 || property.type == .decimal(scale: 2):
            let operation: [ArithmeticOperator] = [.add, .subtract, .multiply, .divide]
            let sum = ModelExpression.arithmetic(
                path, operation.randomElement(using: &random) ?? .add, constant)
            return .comparison(sum, relation, self.constant(property.type), [])
        case 5 where property.type == .duration:
            let factor = ModelExpression.literal(.int(.random(in: -2...3, using: &random)))
            let computed: ModelExpression =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .arithmetic(path, .add, constant)
                case 1: .arithmetic(constant, .subtract, path)
                case 2: .arithmetic(path, .multiply, factor)
                default: .arithmetic(path, .divide, factor)
                }
            return .comparison(computed, relation, self.constant(property.type), [])
        case 6:
            let otherwise = self.constant(property.type)
            guard otherwise != .literal(.null) else { break }
            return .comparison(
                .conditional(
                    .comparison(path, .notEqual, .literal(.null), []), then: path,
                    otherwise: otherwise), relation, constant, [])
        default: break
        }
        return random.chance(0.2)
            ? .comparison(constant, relation, path, []) : .comparison(path, relation, constant, [])
    }

    /// Which object it is, of the few that there are, or whether it is the one that it starts from.
    private mutating func identity(_ place: Place, _ start: Place) -> ModelExpression {
        let object = ModelExpression.keyPath(root: place.root, names: place.names)
        func key() -> ModelExpression {
            namesKeys = true
            return .literal(.int(.random(in: 1...12, using: &random)))
        }
        let relation: ComparisonOperator = random.chance(0.5) ? .equal : .notEqual
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .comparison(object, .in, .list((0...3).map { _ in key() }), [])
        case 1 where place.kind.name == start.kind.name:
            let other = ModelExpression.keyPath(root: start.root, names: start.names)
            return .comparison(object, relation, other, [])
        default: return .comparison(object, relation, key(), [])
        }
    }

    private mutating func constant(_ type: AttributeType) -> ModelExpression {
        if random.chance(0.1) { return .literal(.null) }
        let value = world.value(of: type, using: &random)
        // Finer than a server keeps dates.
        if world.values == .awkward, case .date(let date) = value, random.chance(0.2) {
            return .literal(.date(date + .random(in: -0.000_002...0.000_002, using: &random)))
        }
        return .literal(value)
    }

    /// What people seldom write.
    private mutating func odd(_ place: Place) -> ModelExpression? {
        guard let property = place.kind.properties.randomElement(using: &random) else { return nil }
        let path = place.path(property.name)
        let relation = Self.orders.randomElement(using: &random) ?? .equal
        let numbers: [AttributeType] = [
            .int16, .int32, .int64, .float, .double, .decimal(scale: 2), .decimal(scale: 4),
            .anyDecimal,
        ]
        func number() -> ModelExpression {
            constant(numbers.randomElement(using: &random) ?? .int64)
        }
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            let count = random.chance(0.1) ? 600 : Int.random(in: 0...2, using: &random)
            return .comparison(
                path, .in, .list((0..<count).map { _ in constant(property.type) }), [])
        case 1: return .comparison(.literal(.null), relation, path, [])
        case 2: return .comparison(constant(property.type), relation, constant(property.type), [])
        case 3: return .comparison(number(), relation, number(), [])
        case 4:
            let kind = kinds.randomElement(using: &random) ?? place.kind
            let object = ModelExpression.keyPath(root: place.root, names: place.names)
            return .comparison(
                .function(.entity, [object]), random.chance(0.5) ? .equal : .notEqual,
                .literal(.string(kind.name)), [])
        default:
            guard numbers.contains(property.type) else { return nil }
            if random.chance(0.2) { return .between(path, lower: number(), upper: number()) }
            return .comparison(path, relation, number(), [])
        }
    }

    /// Something about the members of a to-many relationship.
    private mutating func members(_ start: Place, _ depth: Int) -> ModelExpression? {
        let place = further(start)
        let links = place.kind.links.filter(\.isToMany)
        guard let link = links.randomElement(using: &random) else { return nil }
        let path = place.path(link.name)
        let destination = kinds[link.destination]
        variableCount += 1
        let variable = "v\(variableCount)"
        let member = Place(kind: destination, root: .variable(variable), names: [])
        let number = ModelExpression.literal(.int(Int64.random(in: 0...2, using: &random)))
        let relation = Self.orders.randomElement(using: &random) ?? .greater
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return .comparison(.aggregate(.count, path), relation, number, [])
        case 1:
            let isAwkward = world.values == .awkward
            let numbers = destination.properties.filter {
                isAwkward
                    || [.int32, .double, .decimal(scale: 2), .anyDecimal].contains($0.type)
            }
            guard let property = numbers.randomElement(using: &random) else { return nil }
            let function = AggregateFunction.allCases.randomElement(using: &random) ?? .sum
            let members = Place(
                kind: destination, root: place.root, names: place.names + [link.name])
            let values =
                isAwkward && random.chance(0.3)
                ? .subquery(
                    members.path(property.name), variable: variable,
                    condition: condition(member, depth - 1)) : members.path(property.name)
            return .comparison(
                .aggregate(function, values), relation,
                isAwkward && random.chance(0.5) ? constant(property.type) : number, [])
        case 2:
            guard let property = destination.properties.randomElement(using: &random) else {
                return nil
            }
            let members = Place(
                kind: destination, root: place.root, names: place.names + [link.name])
            var test = ModelExpression.comparison(
                members.path(property.name), random.chance(0.5) ? .equal : .notEqual,
                constant(property.type), [])
            if world.values == .awkward, random.chance(0.5) {
                test = memberTest(members.path(property.name), property.type)
            }
            return .quantified(Quantifier.allCases.randomElement(using: &random) ?? .any, test)
        default:
            return .comparison(
                .aggregate(
                    .count,
                    .subquery(path, variable: variable, condition: condition(member, depth - 1))),
                relation, number, [])
        }
    }
}

// What is computed, for worlds with awkward values. Not all of it passes the checker.
extension RandomCondition {
    /// Any test of a value of members.
    private mutating func memberTest(
        _ values: ModelExpression, _ type: AttributeType
    ) -> ModelExpression {
        if random.chance(0.2) {
            return .comparison(values, .in, .list((0...2).map { _ in constant(type) }), [])
        }
        let relations: [ComparisonOperator] =
            type == .string
            ? [.beginsWith, .endsWith, .contains, .like, .matches, .less] : Self.orders
        let relation = relations.randomElement(using: &random) ?? .less
        let right: ModelExpression =
            relation == .matches
            ? .literal(.string(Self.patterns.randomElement(using: &random) ?? "a"))
            : constant(type)
        let options: ComparisonOptions =
            type == .string && random.chance(0.4) ? [.caseInsensitive, .diacriticInsensitive] : []
        return .comparison(values, relation, right, options)
    }

    private static let computedTypes: [AttributeType] = [
        .string, .int64, .double, .decimal(scale: 2), .anyDecimal, .duration, .date,
    ]

    /// A comparison of computed values.
    private mutating func computed(_ place: Place) -> ModelExpression {
        let type = Self.computedTypes.randomElement(using: &random) ?? .string
        let left = value(type, place, 2)
        if type == .string, random.chance(0.6) {
            return textComparison(left, place)
        }
        let relation = Self.orders.randomElement(using: &random) ?? .equal
        if random.chance(0.1) { return .comparison(left, relation, .literal(.null), []) }
        if random.chance(0.1) {
            return .comparison(left, .in, .list((0...2).map { _ in plainConstant(type) }), [])
        }
        return .comparison(left, relation, value(type, place, random.chance(0.7) ? 0 : 1), [])
    }

    static let patterns = [
        "a", "a.*", ".*b", "[a-z]+", "[^a]*", "(a|b)+", "\\d+", "-?[0-9]+(\\.[0-9]+)?", "a?b{1,2}",
        "\\w+", "", ".", "\\s*a\\s*", "é", "[À-ÿ]", "(?i)A",
        "[^a-y]+", "(?:ab)*?", "a|", "(a|ab)(b|)*", ".{2,3}", "[%_]", "[^%]?", "'.*\"z", "^A.*$",
        "a++b", "\\*", "a\\?b", "[*?]+", "\\p{L}+", "(?i)straße", "[^\\s]{1,3}", "\\.", "^$",
        "a{0}",
        "(\\s|\\w)*", "[a-]+", "\\(a\\)", "[.]?a", "-?\\d+\\.?\\d*", "\\\\?%?", "[A-Z]*", "[^A]+",
    ]

    private mutating func textComparison(
        _ left: ModelExpression, _ place: Place
    ) -> ModelExpression {
        let relations: [ComparisonOperator] = [
            .beginsWith, .endsWith, .contains, .like, .equal, .less, .matches, .notEqual,
        ]
        let options: [ComparisonOptions] = [
            [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
            .normalized,
        ]
        let relation = relations.randomElement(using: &random) ?? .equal
        let option = options.randomElement(using: &random) ?? []
        let right: ModelExpression =
            relation == .matches
            ? .literal(.string(Self.patterns.randomElement(using: &random) ?? "a"))
            : value(.string, place, random.chance(0.7) ? 0 : 1)
        return .comparison(left, relation, right, option)
    }

    /// A value of a type: a constant, a property, or something computed of such.
    private mutating func value(
        _ type: AttributeType, _ start: Place, _ depth: Int
    ) -> ModelExpression {
        let place = further(start)
        func property(_ isFit: (AttributeType) -> Bool) -> ModelExpression? {
            place.kind.properties.filter { isFit($0.type) }.randomElement(using: &random)
                .map { place.path($0.name) }
        }
        guard depth > 0, random.chance(0.75) else {
            let known = property { own in
                switch (type, own) {
                case (.int64, .int16), (.int64, .int32), (.double, .float): true
                default: own == type
                }
            }
            return random.chance(0.8) ? known ?? plainConstant(type) : plainConstant(type)
        }
        func operation(_ operations: [ArithmeticOperator]) -> ArithmeticOperator {
            operations.randomElement(using: &random) ?? .add
        }
        let next = depth - 1
        if random.chance(0.1) {
            return .conditional(
                comparison(place), then: value(type, start, next),
                otherwise: value(type, start, next))
        }
        switch type {
        case .string:
            let text = value(.string, start, next)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return .function(.uppercase, [text])
            case 1: return .function(.lowercase, [text])
            case 2: return .function(.canonical, [text])
            case 3: return .function(.substring, [text, smallNumber(), smallNumber()])
            case 4: return .function(.left, [text, value(.int64, start, 0)])
            case 5: return .function(.right, [text, smallNumber()])
            case 6:
                return .function(.replace, [text, plainConstant(.string), plainConstant(.string)])
            case 7: return .function(.trim, [text])
            case 8:
                let types: [AttributeType] = [.int64, .double, .decimal(scale: 2), .anyDecimal]
                return .function(
                    .string, [value(types.randomElement(using: &random) ?? .int64, start, next)])
            default: return .arithmetic(text, .add, value(.string, start, next))
            }
        case .int64:
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return .function(.length, [value(.string, start, next)])
            case 1:
                return .function(
                    .indexOf, [value(.string, start, next), value(.string, start, 0)])
            case 2:
                return .function(
                    .modulus, [value(.int64, start, next), value(.int64, start, next)])
            case 3: return .function(.abs, [value(.int64, start, next)])
            case 4:
                return property { $0 == .data }.map { .function(.length, [$0]) } ?? smallNumber()
            default:
                return .arithmetic(
                    value(.int64, start, next),
                    operation([.add, .subtract, .multiply, .divide, .bitwiseAnd, .bitwiseOr]),
                    value(.int64, start, next))
            }
        case .double:
            switch Int.random(in: 0..<9, using: &random) {
            case 0: return .function(.sqrt, [value(.double, start, next)])
            case 1: return .function(.floor, [value(.double, start, next)])
            case 2: return .function(.ceiling, [value(.double, start, next)])
            case 3: return .function(.trunc, [value(.double, start, next)])
            case 4: return .function(.abs, [value(.double, start, next)])
            case 5: return .function(.string, [value(.string, start, next)])
            case 6:
                return .arithmetic(
                    value(.double, start, next), .power, value(.double, start, next))
            case 7:
                let types: [AttributeType] = [.int64, .decimal(scale: 4)]
                return .arithmetic(
                    value(types.randomElement(using: &random) ?? .int64, start, next),
                    operation([.add, .subtract, .multiply, .divide]), value(.double, start, next))
            default:
                return .arithmetic(
                    value(.double, start, next), operation([.add, .subtract, .multiply, .divide]),
                    value(.double, start, next))
            }
        case .decimal(let scale):
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return .function(.abs, [value(type, start, next)])
            case 1: return .arithmetic(value(type, start, next), .multiply, smallNumber())
            default:
                return .arithmetic(
                    value(type, start, next), operation([.add, .subtract, .multiply]),
                    value(.decimal(scale: random.chance(0.7) ? scale : 4), start, next))
            }
        case .anyDecimal:
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return .function(.abs, [value(type, start, next)])
            default:
                return .arithmetic(
                    value(type, start, next), operation([.add, .subtract, .multiply, .divide]),
                    random.chance(0.3) ? smallNumber() : value(type, start, next))
            }
        case .duration:
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                return .arithmetic(
                    value(type, start, next), operation([.multiply, .divide]), smallNumber())
            default:
                return .arithmetic(
                    value(type, start, next), operation([.add, .subtract]),
                    value(type, start, next))
            }
        default:
            return .arithmetic(value(type, start, next), .add, value(.double, start, 0))
        }
    }

    /// A constant: small, or any.
    private mutating func plainConstant(_ type: AttributeType) -> ModelExpression {
        random.chance(0.5)
            ? constant(type) : .literal(ConditionWorld.value(of: type, using: &random))
    }

    private mutating func smallNumber() -> ModelExpression {
        .literal(.int(.random(in: -1...3, using: &random)))
    }

    /// What an order compares, or a column of results has.
    mutating func value(of kind: Int) -> ModelExpression {
        let place = Place(kind: kinds[kind], root: .subject, names: [])
        if random.chance(0.15), let link = place.kind.links.first(where: \.isToMany) {
            let members = Place(kind: kinds[link.destination], root: .subject, names: [link.name])
            let property = members.kind.properties.randomElement(using: &random)
            let function = AggregateFunction.allCases.randomElement(using: &random) ?? .count
            return .aggregate(
                function,
                function == .count
                    ? .keyPath(root: .subject, names: [link.name])
                    : members.path(property?.name ?? ""))
        }
        if random.chance(0.6) {
            let place = further(place)
            if let name = place.kind.properties.randomElement(using: &random)?.name {
                return place.path(name)
            }
        }
        return value(Self.computedTypes.randomElement(using: &random) ?? .string, place, 1)
    }
}
