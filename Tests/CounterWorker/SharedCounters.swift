import Cambium

/// Counters that several processes raise, with an entry for each time, and marks with unique keys.
/// Each merge policy has counters and keys of its own.
package enum SharedCounters {
    package static let model = CompiledModel(
        Model(name: "SharedCounters", version: "1", entities: [counter, entry, mark]))

    package static let policies = [
        "error", "rollback", "overwrite", "storeTrump", "objectTrump", "custom",
    ]
    package static let countersForEach = 3
    package static let keysForEach = 12

    package static func policy(named name: String) -> MergePolicy? {
        switch name {
        case "error": .error
        case "rollback": .rollback
        case "overwrite": .overwrite
        case "storeTrump": .storeTrump
        case "objectTrump": .objectTrump
        case "custom": .custom(CustomMergePolicy(basedOn: .objectTrump) { _ in })
        default: nil
        }
    }

    package static func counterNames(_ policy: String) -> [String] {
        (0..<countersForEach).map { "\(policy) \($0)" }
    }

    package static func key(_ policy: String, _ number: Int) -> String { "\(policy) \(number)" }

    private static let counter = Entity(
        name: "Counter",
        attributes: [
            Attribute(name: "name", type: .string),
            // What each save adds is added to what the others have added.
            number("sum", merge: .sum),
            // Nothing but conflict detection protects this one.
            number("count"),
            Attribute(
                name: "entryCount", type: .int64,
                derivation: .aggregate(.count, .keyPath(root: .subject, names: ["entries"]))),
            Attribute(
                name: "entryTotal", type: .int64,
                derivation: .aggregate(
                    .sum, .keyPath(root: .subject, names: ["entries", "amount"]))),
        ],
        relationships: [
            Relationship(
                name: "entries", destination: "Entry", inverse: "counter", isToMany: true,
                deleteRule: .cascade)
        ])

    private static let entry = Entity(
        name: "Entry", attributes: [number("amount")],
        relationships: [
            Relationship(
                name: "counter", destination: "Counter", inverse: "entries", isOptional: false)
        ])

    private static let mark = Entity(
        name: "Mark",
        attributes: [Attribute(name: "key", type: .string), number("owner")],
        uniqueConstraints: [UniqueConstraint(properties: ["key"])])

    private static func number(_ name: String, merge: MergeRule? = nil) -> Attribute {
        Attribute(name: name, type: .int64, defaultValue: .constant(.int(0)), merge: merge)
    }
}

/// What a process has done, which it prints.
package struct WorkReport: Codable, Sendable {
    package var saves = 0
    package var conflicts = 0
    /// How often the plain count of a counter was raised, by its name.
    package var counts: [String: Int] = [:]
    /// How many marks with a key were saved.
    package var marks: [String: Int] = [:]
    /// What no program should have to see.
    package var failures: [String] = []

    package static func += (one: inout WorkReport, other: WorkReport) {
        one.saves += other.saves
        one.conflicts += other.conflicts
        one.counts.merge(other.counts, uniquingKeysWith: +)
        one.marks.merge(other.marks, uniquingKeysWith: +)
        one.failures += other.failures
    }
}

extension ManagedObject {
    /// A number by its name.
    package subscript(number name: String) -> Int64 {
        get {
            guard case .int(let number)? = try? value(forKey: name) else { return -1 }
            return number
        }
        set { _ = try? setValue(.int(newValue), forKey: name) }
    }

    /// A text by its name.
    package subscript(text name: String) -> String {
        get {
            guard case .string(let text)? = try? value(forKey: name) else { return "" }
            return text
        }
        set { _ = try? setValue(.string(newValue), forKey: name) }
    }
}
