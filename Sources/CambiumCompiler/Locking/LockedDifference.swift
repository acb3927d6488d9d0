/// What a version is and was when it was frozen, in words: which entity or property has changed, from
/// what to what.
struct LockedDifference {
    /// The entities and properties (`Product.sku`) that changed, sorted.
    let subjects: [String]
    /// A line for each.
    let notes: [String]

    /// Compares the lines that a version had with those that it has.
    init(from frozen: Set<String>, to current: Set<String>) {
        let (gone, added) = (frozen.subtracting(current), current.subtracting(frozen))
        let old = Self.values(of: gone)
        let new = Self.values(of: added)
        let former = Set(frozen.map { Line($0).subject })
        let present = Set(current.map { Line($0).subject })
        subjects = Set(old.keys).union(new.keys).sorted()
        notes = subjects.map { subject in
            let (before, now) = (old[subject] ?? "", new[subject] ?? "")
            if !former.contains(subject) {
                return "\(subject) is new" + (now.isEmpty ? "" : ": \(now)")
            }
            if !present.contains(subject) {
                return "\(subject) is gone" + (before.isEmpty ? "" : "; it was: \(before)")
            }
            if before.isEmpty { return "\(subject) has now: \(now)" }
            if now.isEmpty { return "\(subject) had: \(before)" }
            return "\(subject) had: \(before); it has now: \(now)"
        }
    }

    private static func values(of lines: Set<String>) -> [String: String] {
        Dictionary(grouping: lines.map(Line.init), by: \.subject).mapValues { lines in
            lines.filter { !$0.value.isEmpty }
                .sorted { ($0.isCondition ? 1 : 0, $0.value) < ($1.isCondition ? 1 : 0, $1.value) }
                .map(\.value).joined(separator: ", ")
        }
    }

    /// The XML attributes that say what a declaration of a migration is about.
    static let names = [
        "entity", "attribute", "property", "relationship", "enum", "case", "name",
    ]

    /// What a declaration of a migration is called: `<fill> of Product.price`.
    static func subject(_ kind: String, _ names: [String]) -> String {
        "<\(kind)> of \(names.joined(separator: "."))"
    }

    /// The XML attributes on a line of the lock.
    private static func values(in text: String) -> [(name: String, value: String)] {
        var values: [(name: String, value: String)] = []
        var rest = text[...]
        while let equals = rest.firstIndex(of: "="), rest[equals...].dropFirst().first == "\"" {
            let name = rest[..<equals].drop { $0 == " " }
            rest = rest[equals...].dropFirst(2)
            var value = ""
            while let sign = rest.popFirst(), sign != "\"" {
                value.append(sign == "\\" ? rest.popFirst() ?? sign : sign)
            }
            values.append((String(name), value))
        }
        return values
    }

    /// A line of a version, as a person reads it.
    private struct Line {
        /// The entity, the property, the rule or the enumeration that it is about.
        let subject: String
        /// What it says about it.
        let value: String
        /// Whether it is no part of a table's columns: those come first.
        let isCondition: Bool

        init(_ text: String) {
            let words = text.split(separator: " ", maxSplits: 2).map(String.init)
            let first = words.first ?? ""
            let (second, rest) = (
                words.count > 1 ? words[1] : "", words.count > 2 ? words[2] : ""
            )
            isCondition = words.count > 2 && Self.elements.contains(second)
            let owner = first.split(separator: ".").first.map(String.init) ?? first
            switch first {
            case "entity":
                subject = second
                value = rest.hasPrefix(": ") ? "parent \(rest.dropFirst(2))" : rest
            case "enum":
                subject = second.hasSuffix(":") ? String(second.dropLast()) : second
                value = rest
            case "migration":
                let values = LockedDifference.values(in: rest)
                let names = LockedDifference.names.compactMap { name in
                    values.first { $0.name == name }?.value
                }
                subject = LockedDifference.subject(second, names)
                value = values.filter { !LockedDifference.names.contains($0.name) }
                    .map { "\($0.name)=\"\($0.value)\"" }.joined(separator: " ")
            case "\(owner).attribute", "\(owner).relationship":
                subject = "\(owner).\(second)"
                value = rest
            case "\(owner).unique", "\(owner).index":
                subject = owner
                value = [String(first.dropFirst(owner.count + 1)), second, rest]
                    .filter { !$0.isEmpty }.joined(separator: " ")
            default:
                subject = first.hasSuffix(".") ? owner : first
                value =
                    Self.elements.contains(second)
                    ? Self.asInModel(rest)
                    : [second, rest].filter { !$0.isEmpty }.joined(separator: " ")
            }
        }

        /// Values that are made for each object, as a model says it.
        private static func asInModel(_ text: String) -> String {
            text.replacing("default=\"now()\"", with: "default=\"now\"")
                .replacing("default=\"uuid()\"", with: "default=\"new\"")
        }

        /// What stands before the XML attributes of a declaration.
        private static let elements: Set<String> = [
            "attribute", "derived", "relationship", "entity", "composite",
        ]
    }
}
