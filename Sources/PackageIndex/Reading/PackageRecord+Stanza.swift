import PackagesModel

/// The reason why a stanza does not become a package.
struct RefusalReason: Error, Equatable, CustomStringConvertible {
    let line: Int
    let description: String
}

extension PackageRecord {
    /// The names of the fields that are read.
    static let fieldNames =
        [
            "package", "version", "architecture", "source", "section", "maintainer", "description",
            "homepage", "priority", "essential", "installed-size", "size",
        ] + dependencyFields.map(\.name)

    private static let dependencyFields: [(name: String, kind: DependencyKind)] = [
        ("pre-depends", .preDepends), ("depends", .depends), ("recommends", .recommends),
        ("suggests", .suggests),
    ]

    /// Reads a stanza; throws its first problem.
    init(_ stanza: ControlStanza) throws(RefusalReason) {
        if let problem = stanza.problems.first {
            throw RefusalReason(line: problem.line, description: problem.reason)
        }
        line = stanza.line
        key = PackageKey(
            name: try stanza.required("package"), version: try stanza.required("version"),
            architecture: try stanza.required("architecture"))
        // `Source: name (version)`; if the field is missing, the package's own name.
        source = stanza.text("source").map { String($0.prefix { $0 != " " }) } ?? key.name
        section = stanza.text("section")
        maintainer = stanza.text("maintainer").flatMap(Mailbox.init)
        summary = stanza["description"].map { String($0.firstLine) } ?? ""
        homepage = stanza.text("homepage")
        isEssential = stanza.text("essential") == "yes"
        installedSize = try stanza.number("installed-size") ?? 0
        downloadSize = try stanza.number("size")

        if let written = stanza.text("priority") {
            guard let priority = Priority(rawValue: written) else {
                throw stanza.refusal("priority", "'\(written)' is not a priority")
            }
            self.priority = priority
        } else {
            priority = .optional
        }

        var dependencies: [DependencyRecord] = []
        for (name, kind) in Self.dependencyFields {
            guard let text = stanza.text(name) else { continue }
            let clauses: [[DependencyAlternative]]
            do {
                clauses = try parseDependencies(text)
            } catch {
                throw stanza.refusal(name, error.description)
            }
            for (clause, alternatives) in clauses.enumerated() {
                for (alternative, content) in alternatives.enumerated() {
                    dependencies.append(
                        DependencyRecord(
                            kind: kind, clause: Int32(clause), alternative: Int32(alternative),
                            content: content))
                }
            }
        }
        self.dependencies = dependencies
    }
}

extension ControlStanza {
    /// The value of a field, or nil if it is missing or empty.
    fileprivate func text(_ name: String) -> String? {
        self[name].flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    fileprivate func required(_ name: String) throws(RefusalReason) -> String {
        if count(of: name) > 1 {
            throw refusal(name, "the field '\(name)' is listed twice; is an empty line missing?")
        }
        guard let text = text(name) else {
            throw refusal(name, "the field '\(name)' is missing or empty")
        }
        return text
    }

    fileprivate func number(_ name: String) throws(RefusalReason) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let number = Int64(text) else {
            throw refusal(name, "the value '\(text)' of '\(name)' is not an integer")
        }
        return number
    }

    /// A refusal at the last field of that name, or at the stanza if there is none.
    fileprivate func refusal(_ name: String, _ reason: String) -> RefusalReason {
        RefusalReason(
            line: fields.last { $0.name == name }?.line ?? line, description: reason)
    }
}
