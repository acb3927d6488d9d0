import CambiumModel

/// What is remembered of a version that has shipped: two hashes of what its stores were made by.
///
/// Neither depends on how the file is laid out or anything in it is spelled, on the order of
/// declarations, or on what only the program sees (code generation, messages, named requests, merge
/// and delete rules, user info), so all of that may still change. Nor do they depend on the SQL: a newer compiler that writes better
/// SQL breaks no lock.
package struct LockedVersion: Equatable {
    /// The version's name.
    package let name: String
    /// `Model.versionHash`: tables and columns. Where it changes, stores in use no longer open.
    package let storage: String
    /// The hash of the text of ``LockedConditions``: what rows had to meet and how they were migrated.
    /// Where it changes, stores in use open and are not what the next migration believes.
    package let conditions: String
    /// What the hashes are of, one thing a line; nil where the lock does not say.
    package var lines: Set<String>?
    /// The start of a hash of each declaration by its name, which a lock of the former format has
    /// to tell what has changed.
    var declarations: [String: String] = [:]
    /// Whether the conditions are those of a lock of a former format.
    package private(set) var isFormer = false
}

extension LockedVersion {
    /// Takes down a version as it is now.
    ///
    /// - Parameter isFormer: Whether it is to be compared with a lock of a former format.
    package init(_ version: CheckedModel, isFormer: Bool = false) {
        self.isFormer = isFormer
        name = version.model.version
        storage = version.model.versionHash
        let conditions =
            isFormer
            ? FormerLockedConditions.text(of: version) : LockedConditions.text(of: version)
        self.conditions = SHA256.hexadecimal(of: conditions)
        var all: [String] = []
        var named: [String: [String]] = [:]
        for line in (version.model.canonicalText + conditions).split(separator: "\n") {
            if let name = Self.declaration(of: line) {
                named[name, default: []].append(String(line))
                all.append(String(line))
            }
        }
        lines = Set(all)
        declarations = named.mapValues {
            String(SHA256.hexadecimal(of: $0.joined(separator: "\n")).prefix(8))
        }
    }

    /// The name of the entity, composite or enumeration that a line is about, or `migration`.
    private static func declaration(of line: Substring) -> String? {
        let words = line.split(separator: " ", maxSplits: 2)
        guard let first = words.first, first != "cambium" else { return nil }
        let name = first == "entity" || first == "enum" ? words.dropFirst().first : first
        return name?.split(whereSeparator: { ".:".contains($0) }).first.map(String.init)
    }

    /// Whether the hashes are the same, which is all that counts.
    package static func == (left: LockedVersion, right: LockedVersion) -> Bool {
        left.name == right.name && left.storage == right.storage
            && left.conditions == right.conditions
    }

    /// The names of the declarations that are others than before, sorted; none where that is not
    /// known.
    func changes(since frozen: LockedVersion) -> [String] {
        guard !frozen.declarations.isEmpty else { return [] }
        return Set(declarations.keys).union(frozen.declarations.keys)
            .filter { declarations[$0] != frozen.declarations[$0] }.sorted()
    }
}
