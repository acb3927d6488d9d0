import CambiumModel

/// Compares the versions of a bundle with their entries in the lock.
enum LockChecker {
    /// The problems; empty if there is no lock.
    ///
    /// - Parameters:
    ///   - bundle: The bundle as it was read. A version that exists and has errors is not missing.
    ///   - versions: The versions of the bundle without errors.
    static func check(_ bundle: ParsedBundle, _ versions: [CheckedModel]) -> [Diagnostic] {
        let lock: LockFile
        let path = bundle.path + "/" + LockFile.name
        do {
            guard let found = try LockFile.read(inBundle: bundle.path) else { return [] }
            lock = found
        } catch {
            return [
                Diagnostic(
                    .malformedLock, error.reason,
                    at: SourcePosition(path: path, line: error.line, column: 1),
                    notes: [
                        """
                        Take the file from version control; after a merge keep the lines of both \
                        branches, and count the versions in the last line
                        """
                    ])
            ]
        }
        let present = Set(bundle.versions.map { $0.version })
        let missing = lock.versions.keys.filter { !present.contains($0) }
            .ordered(by: VersionOrder.precedes)
        let gone = missing.map { name in
            Diagnostic(
                .frozenVersionMissing,
                "Version \(name) has shipped, and is no longer in the bundle",
                at: SourcePosition(path: path, line: 1, column: 1),
                notes: ["Take its file from version control: stores of it are still in use"])
        }
        let draft = bundle.versions.last.map { $0.version }.flatMap {
            lock.versions[$0] == nil ? $0 : nil
        }
        return gone + [loss(of: lock, path)].compactMap(\.self)
            + versions.compactMap { change(of: $0, from: lock, draft: draft) }
    }

    /// Reports lines that the lock has lost. They do not matter for the check, but are needed later
    /// to report a change.
    private static func loss(of lock: LockFile, _ path: String) -> Diagnostic? {
        let names = lock.versions.values.filter { $0.lines == nil && !$0.isFormer }.map { $0.name }
            .ordered(by: VersionOrder.precedes)
        guard let last = names.last else { return nil }
        return Diagnostic(
            .incompleteLock,
            "The lock lacks the description of version " + names.joined(separator: ", "),
            at: SourcePosition(path: path, line: 1, column: 1),
            notes: [
                """
                Take the file from version control; after a merge, write it again with: swift \
                package cambium freeze --through \(last)
                """
            ])
    }

    /// - Parameter draft: The current version, if it has not shipped.
    private static func change(
        of version: CheckedModel, from lock: LockFile, draft: String?
    ) -> Diagnostic? {
        guard let frozen = lock.versions[version.model.version] else { return nil }
        let now = LockedVersion(version, isFormer: frozen.isFormer)
        guard frozen != now else { return nil }
        let message =
            now.storage != frozen.storage
            ? """
            Version \(now.name) has shipped, and its tables have changed since: stores of it \
            could no longer be opened
            """
            : """
            Version \(now.name) has shipped, and its defaults, limits, rules, indexes or \
            migration have changed since: stores of it do not have them
            """
        let (subjects, changes) = Self.changes(of: now, since: frozen)
        return Diagnostic(
            .frozenVersionChanged, message, at: version.position(ofFirstOf: subjects),
            notes: changes + [
                draft.map { "Undo the change, and make it in version \($0), which is a draft" }
                    ?? "Undo the change, and make it in a new version: swift package cambium version "
                    + "new",
                "If the version has never left your machines: swift package cambium freeze --again "
                    + now.name,
            ])
    }

    /// The changes: their names, and as many notes as a person wants to read.
    private static func changes(
        of now: LockedVersion, since frozen: LockedVersion
    ) -> (subjects: [String], notes: [String]) {
        if let old = frozen.lines, let new = now.lines {
            let difference = LockedDifference(from: old, to: new)
            let more = difference.notes.count - limit
            return (
                difference.subjects,
                difference.notes.prefix(limit) + (more > 0 ? ["… and \(more) more"] : [])
            )
        }
        let changes = now.changes(since: frozen)
        guard !changes.isEmpty else { return ([], []) }
        let names = changes.prefix(limit).map { "'\($0)'" }.joined(separator: ", ")
        return (changes, ["Changed: \(names)\(changes.count > limit ? ", …" : "")"])
    }

    private static let limit = 8
}

extension CheckedModel {
    /// Returns the position of the element that comes first in the file among several elements that
    /// a lock names. Such an element is an entity, a composite, an enumeration, an element in one
    /// of these, or the migration. For a removed element it is the position of its owner.
    fileprivate func position(ofFirstOf subjects: [String]) -> SourcePosition {
        let places = subjects.compactMap(element).map { $0.offset }
        return parsed.position(at: places.min() ?? parsed.root.offset)
    }

    private func element(_ subject: String) -> ParsedElement? {
        if subject == "migration" || subject.hasPrefix("<") {
            let migration = parsed.migration
            let declaration = migration?.children.first { child in
                let names = LockedDifference.names.compactMap { child[$0]?.value }
                return subject == LockedDifference.subject(child.name, names)
            }
            return declaration ?? migration
        }
        let owner = subject.prefix { $0 != "." }
        let declaration = parsed.root.children.first {
            ["entity", "composite", "enum"].contains($0.name) && $0["name"]?.value[...] == owner
        }
        let name = subject.dropFirst(owner.count + 1)
        // A part of a composite value is declared by the composite attribute.
        let head = name.prefix { $0 != "." }
        let member = declaration?.children.first { $0["name"]?.value[...] == name }
        return member ?? declaration?.children.first { $0["name"]?.value[...] == head }
            ?? declaration
    }
}

/// The differences between a version and its frozen form, in words: the changed entities and
/// properties, with old and new value.
struct LockedDifference {
    /// The entities and properties (`Product.sku`) that changed, sorted.
    let subjects: [String]
    /// A line for each.
    let notes: [String]

    /// Compares the old and the new lines of a version.
    init(from frozen: Set<String>, to current: Set<String>) {
        let (gone, added) = (frozen.subtracting(current), current.subtracting(frozen))
        let old = Self.values(of: gone)
        let new = Self.values(of: added)
        let former = Set(frozen.map { Line($0).subject })
        let present = Set(current.map { Line($0).subject })
        subjects = Set(old.keys).union(new.keys).ordered(by: <)
        notes = subjects.map { subject in
            let (before, now) = (old[subject] ?? "", new[subject] ?? "")
            if !former.contains(subject) {
                return "\(subject) is new" + (now.isEmpty ? "" : ": \(now)")
            }
            if !present.contains(subject) {
                return "\(subject) was removed" + (before.isEmpty ? "" : "; it was: \(before)")
            }
            if before.isEmpty { return "\(subject) has now: \(now)" }
            if now.isEmpty { return "\(subject) had: \(before)" }
            return "\(subject) had: \(before); it has now: \(now)"
        }
    }

    private static func values(of lines: Set<String>) -> [String: String] {
        Dictionary(grouping: lines.map(Line.init), by: \.subject).mapValues { lines in
            lines.filter { !$0.value.isEmpty }
                .ordered { ($0.isCondition ? 1 : 0, $0.value) < ($1.isCondition ? 1 : 0, $1.value) }
                .map { $0.value }.joined(separator: ", ")
        }
    }

    /// The XML attributes with the subject of a migration's declaration.
    static let names = [
        "entity", "attribute", "property", "relationship", "enum", "case", "name",
    ]

    /// The name of a migration's declaration: `<fill> of Product.price`.
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
        /// The value of the line for its subject.
        let value: String
        /// Whether the line is a condition. The lines about a table's columns come before the
        /// conditions.
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

        /// Generated values, in the form of a model.
        private static func asInModel(_ text: String) -> String {
            text.replacing("default=\"now()\"", with: "default=\"now\"")
                .replacing("default=\"uuid()\"", with: "default=\"new\"")
        }

        /// The words before the XML attributes of a declaration.
        private static let elements: Set<String> = [
            "attribute", "derived", "relationship", "entity", "composite",
        ]
    }
}
