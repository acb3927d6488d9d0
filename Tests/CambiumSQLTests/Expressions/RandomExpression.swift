import CambiumModel

/// Writes random conditions that a checker accepts.
struct RandomExpression<Random: RandomNumberGenerator> {
    var random: Random
    private var variableCount = 0

    init(using random: Random) {
        self.random = random
    }

    private mutating func pick<T>(_ all: [T], _ first: T) -> T {
        all.randomElement(using: &random) ?? first
    }

    private mutating func chance(_ denominator: Int) -> Bool {
        Int.random(in: 0..<denominator, using: &random) == 0
    }

    /// A condition over items; `root` is empty or a variable with its point.
    mutating func condition(depth: Int, root: String = "") -> String {
        guard depth > 0 else { return comparison(root, 1) }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            return "(\(condition(depth: depth - 1, root: root)) AND "
                + "\(condition(depth: depth - 1, root: root)))"
        case 2, 3:
            return "(\(condition(depth: depth - 1, root: root)) OR "
                + "\(condition(depth: depth - 1, root: root)))"
        case 4, 5: return "NOT (\(condition(depth: depth - 1, root: root)))"
        case 6: return quantified(root)
        case 7: return collection(root, depth)
        case 8:
            return "TERNARY(\(condition(depth: depth - 1, root: root)), "
                + "\(number(root, 1)), \(number(root, 1))) > \(number(root, 1))"
        default: return comparison(root, 2)
        }
    }

    /// A number, text or date of an item.
    mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text("", depth)
        case 1: date("")
        default: number("", depth)
        }
    }

    private static var relations: [String] { ["==", "!=", "<", "<=", ">", ">="] }

    private mutating func comparison(_ root: String, _ depth: Int) -> String {
        let relation = pick(Self.relations, "==")
        switch Int.random(in: 0..<16, using: &random) {
        case 10:
            let composite = pick(["home", "home.geo", "colour"], "home")
            return "\(root)\(composite) \(pick(["==", "!="], "==")) nil"
        case 11: return "\(text(root, 1)) IN \(text(root, 1))"
        case 12:
            let exact = "\(root)\(pick(["amount", "rate"], "rate"))"
            return "\(exact) \(relation) \(number(root, depth))"
        case 13:
            return "\(root)\(pick(["count", "price", "stock", "amount"], "count")) "
                + pick(["IN $numbers", "BETWEEN $bounds", "> $number"], "IN $numbers")
        case 14: return "\(root)name IN $texts"
        case 0, 1: return "\(text(root, depth)) \(relation) \(text(root, depth))"
        case 2:
            let operation = pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "=="], "==")
            let options = pick(["", "", "[c]", "[d]", "[cd]", "[n]"], "")
            return "\(text(root, depth)) \(operation)\(options) \(text(root, depth))"
        case 3:
            return
                "\(text(root, 1)) MATCHES \(pick(["'a.*'", "'.'", "'[A-Z]?b'", "'[Aa]b?'"], "'.'"))"
        case 4: return "\(date(root)) \(relation) \(date(root))"
        case 5: return "\(root)isNew \(pick(["==", "!="], "==")) \(pick(["YES", "0", "nil"], "0"))"
        case 6:
            let value = pick(["'book'", "'toy'", "nil"], "nil")
            return "\(root)kind \(pick(["==", "!="], "==")) \(value)"
        case 7:
            let numbers = (0...3).map { _ in chance(4) ? "nil" : constant() }
            return "\(root)\(pick(["count", "price", "weight", "stock", "amount"], "count")) IN "
                + "{\(numbers.joined(separator: ", "))}"
        case 8: return "\(number(root, 1)) BETWEEN {\(constant()), \(number(root, 1))}"
        case 9:
            let path = pick(
                ["box", "box.parent", "label", "label.item", "box.parent.parent"], "box")
            return "\(root)\(path) \(pick(["==", "!="], "==")) nil"
        case 15: return "\(root)label.item \(pick(["==", "!="], "==")) \(object(root))"
        default: return "\(number(root, depth)) \(relation) \(number(root, depth))"
        }
    }

    private func object(_ root: String) -> String {
        root.isEmpty ? "SELF" : String(root.dropLast())
    }

    private mutating func constant() -> String {
        pick(
            ["0", "1", "-1", "2", "0.5", "1.5", "0.015", "-0.005", "9223372036854775807", "1e30"],
            "0")
    }

    private mutating func number(_ root: String, _ depth: Int) -> String {
        if depth <= 0 || chance(3) {
            return root
                + pick(
                    [
                        "count", "stock", "price", "tax", "weight", "box.size", "box.parent.size",
                        "amount", "rate", "home.geo.lat", "label.item.amount",
                    ],
                    "count")
        }
        switch Int.random(in: 0..<11, using: &random) {
        case 7: return "indexOf(\(text(root, depth - 1)), \(text(root, depth - 1)))"
        case 8:
            return "CAST(\(pick(["\(root)made", "\(root)name", "\(root)price"], "\(root)made")), "
                + "'NSNumber')"
        case 9:
            variableCount += 1
            let variable = "$v\(variableCount)"
            return "SUBQUERY(\(root)box.items, \(variable), \(comparison(variable + ".", 1)))"
                + pick([".@min.price", ".amount.@sum", ".@avg.stock", ".@max.rate"], ".@min.price")
        case 0: return constant()
        case 1, 2:
            let operation = pick(["+", "-", "*", "/", "**"], "+")
            return "(\(number(root, depth - 1)) \(operation) \(number(root, depth - 1)))"
        case 3: return "(\(root)count \(pick(["&", "|"], "&")) \(root)stock)"
        case 4:
            let function = pick(["abs", "floor", "ceiling", "trunc", "sqrt"], "abs")
            return "\(function):(\(number(root, depth - 1)))"
        case 5: return "length:(\(text(root, depth - 1)))"
        case 6: return "modulus:by:(\(root)count, \(root)stock)"
        default:
            let values = ["count", "stock", "price", "amount", "rate", "home.geo.lat"]
            return "\(root)box.items.\(pick(values, "stock"))"
                + ".@\(pick(["sum", "avg", "min", "max", "count"], "sum"))"
        }
    }

    private mutating func text(_ root: String, _ depth: Int) -> String {
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where depth > 0:
            return "\(pick(["uppercase", "lowercase", "canonical", "trim"], "lowercase")):"
                + "(\(text(root, depth - 1)))"
        case 3 where depth > 0: return part(of: text(root, depth - 1), root)
        case 4 where depth > 0:
            return "replace(\(text(root, depth - 1)), \(text(root, 0)), \(text(root, 0)))"
        case 1: return "'\(pick(RandomShop.words, "a"))'"
        case 2 where depth > 0: return "(\(text(root, depth - 1)) + \(text(root, depth - 1)))"
        default:
            return root + pick(["name", "code", "box.name", "label.text", "home.city"], "name")
        }
    }

    private mutating func part(of text: String, _ root: String) -> String {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: "left(\(text), \(index(root)))"
        case 1: "right(\(text), \(index(root)))"
        default: "substring(\(text), \(index(root)), \(index(root)))"
        }
    }

    private mutating func index(_ root: String) -> String {
        pick(
            ["0", "1", "2", "-1", "9223372036854775807", "-9223372036854775807"]
                + ["\(root)count", "\(root)stock", "length:(\(root)name)"], "1")
    }

    private mutating func date(_ root: String) -> String {
        pick(
            ["\(root)made", "\(root)made", "(\(root)made + 1.5)", "(\(root)made - \(root)weight)"],
            "\(root)made")
    }

    private mutating func quantified(_ root: String) -> String {
        let quantifier = pick(["ANY", "ALL", "NONE"], "ANY")
        switch Int.random(in: 0..<9, using: &random) {
        case 5:
            return "\(quantifier) \(root)box.children.items.amount "
                + "\(pick(Self.relations, "==")) \(number(root, 1))"
        case 6: return "\(quantifier) \(root)tags.items.box.items.home == nil"
        case 7: return "\(text(root, 1)) IN \(root)box.children.items.name"
        case 8: return "\(quantifier) \(root)tags.items.stock IN $numbers"
        case 0:
            return "\(quantifier) \(root)tags.word \(pick(Self.relations, "==")) \(text(root, 1))"
        case 1: return "\(quantifier) \(root)box.items.price < \(number(root, 1))"
        case 2: return "\(quantifier) \(root)box.children.size > \(root)stock"
        case 3: return "\(quantifier) \(root)tags.word LIKE[c] '?'"
        default: return "\(quantifier) \(root)box.items.label.text IN {'a', nil, \(text(root, 1))}"
        }
    }

    private mutating func collection(_ root: String, _ depth: Int) -> String {
        variableCount += 1
        let variable = "$v\(variableCount)"
        let inner = condition(depth: depth - 1, root: variable + ".")
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return "\(root)tags.@count > \(root)stock"
        case 1: return "\(object(root)) IN \(root)box.items"
        case 2: return "SUBQUERY(\(root)label.item.box.items, \(variable), \(inner)).@count == 1"
        default:
            return "SUBQUERY(\(root)box.items, \(variable), \(inner)).@count "
                + "\(pick(Self.relations, "==")) \(pick(["0", "1", "\(root)stock"], "0"))"
        }
    }
}
