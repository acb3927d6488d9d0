import CambiumMaintenance
import CambiumMigration
import CambiumModel

/// The reason why no version of a model can have written a store.
///
/// ## Topics
///
/// ### Versions
///
/// - ``nearest``
/// - ``differences``
/// - ``versions``
/// - ``Distance``
///
/// ### Store and model
///
/// - ``store``
/// - ``model``
/// - ``identifiers``
/// - ``named``
/// - ``NamedVersion``
/// - ``isUnrelated``
/// - ``unknownEntities``
///
/// ### Output
///
/// - ``json``
public struct VersionMismatch: Sendable, Hashable {
    /// A version, and in how much it differs from the store.
    public struct Distance: Sendable, Hashable, Encodable {
        /// The version's name.
        public let version: String
        /// The number of differences.
        public let differences: Int
    }

    /// The version that the store names as its own.
    public struct NamedVersion: Sendable, Hashable, Encodable {
        /// The version's name.
        public let version: String
        /// The differences between it and the store.
        public let differences: [String]
    }

    /// The path of the store.
    public let store: String
    /// The model's name.
    public let model: String
    /// The identifiers in the store of the version that wrote it.
    public let identifiers: [String]
    /// The version with the fewest differences.
    public let nearest: String
    /// The differences between the nearest version and the store; empty if it fits, and the store
    /// names another one.
    public let differences: [String]
    /// The version that the store names, by its identifier or its hashes; nil if it names none of
    /// the model's.
    public let named: NamedVersion?
    /// The store's entities, if no version has any of them and the store is another model's. Empty
    /// if a version has one.
    public let unknownEntities: [String]
    /// All versions, the nearest first.
    public let versions: [Distance]

    /// Whether the store was written by another model, as far as one can tell.
    public var isUnrelated: Bool { !unknownEntities.isEmpty }
}

extension VersionMismatch: CustomStringConvertible {
    /// The differences and how to fix the problem.
    public var description: String {
        let claimed = identifiers.filter { !$0.isEmpty }.excerpts()
        let claim = claimed.isEmpty ? "" : "; the store names version \(claimed)"
        if isUnrelated {
            let shown = unknownEntities.prefix(5).map { $0.excerpt() }.joined(separator: ", ")
            return "\(store) was written by another model than \(model)\(claim): no version of "
                + "\(model) has any of its entities (\(shown)\(unknownEntities.count > 5 ? ", …" : "")). "
                + "Name the model that belongs to the store"
        }
        let fitting = versions.filter { $0.differences == 0 }.map { "'\($0.version)'" }
        guard fitting.isEmpty else {
            return
                "\(store) fits several versions of \(model) (\(fitting.joined(separator: ", "))), "
                + "and not the version that it names. Say which of them wrote it"
                + (named.map { ". " + words($0) } ?? "")
        }
        return
            "\(store) fits no version of \(model)\(claim). Add the version that wrote the store to "
            + "the model. "
            + [
                nearest == named?.version
                    ? nil : "The nearest is '\(nearest)', with \(Self.list(differences))",
                named.map(words),
            ].compactMap(\.self).joined(separator: "\n")
    }

    private func words(_ named: NamedVersion) -> String {
        "It names '\(named.version)', with \(Self.list(named.differences))"
            + (nearest == named.version ? "\nNo other version is nearer" : "")
    }

    private static func list(_ differences: [String]) -> String {
        let more = differences.count - 20
        return "\(differences.count) difference\(differences.count == 1 ? "" : "s"):"
            + differences.prefix(20).map { "\n  - \($0.excerpt(1_000))" }.joined()
            + (more > 0 ? "\n  … and \(more) more" : "")
    }
}

extension VersionMismatch: Encodable {
    /// Writes all members, the message too.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "store": store, "model": model, "refused": true, "message": description,
            "identifiers": identifiers, "nearest": nearest, "differences": differences,
            "named": named, "unrelated": isUnrelated, "versions": versions,
        ])
    }

    /// The mismatch as JSON, ended by a line feed.
    public var json: String { reportJSON }
}
