import CambiumModel
import CambiumPlan
import CambiumSQL

/// The words in which diagnostics describe a model. They match the author's file: Cambium's XML, or
/// the fields of Xcode's model editor and keys of user info.
package struct Wording: Sendable {
    private let isXcode: Bool

    /// The words for files of a format.
    package init(_ format: ParsedModel.Format) {
        isXcode = format == .xcode
    }

    /// An XML attribute of Cambium's language.
    func name(_ attribute: String) -> String {
        isXcode ? Vocabulary.xcodeFields[attribute]?.label ?? Self.key(attribute) : attribute
    }

    /// One of the words that an XML attribute may have.
    @inline(never)
    func value(_ attribute: String, _ word: String) -> String {
        guard isXcode, case .choice(_, let choices, _) = Vocabulary.xcodeFields[attribute] else {
            return word
        }
        return choices[word] ?? word
    }

    /// An XML attribute with its value.
    func setting(_ attribute: String, _ value: String) -> String {
        isXcode ? "\(name(attribute)) '\(value)'" : "\(attribute)=\"\(value)\""
    }

    /// An instruction to set an XML attribute to a value; `…` represents a value that the author
    /// must choose. Each of several alternatives is sufficient.
    func write(_ alternatives: (attribute: String, value: String)...) -> String {
        guard isXcode else {
            return "Write "
                + alternatives.map { "\($0.attribute)=\"\($0.value)\"" }.joined(separator: ", or ")
        }
        let steps = alternatives.map { Self.step($0.attribute, $0.value) }
        return steps.joined(separator: ", or ").capitalizedFirst
    }

    /// Returns the instruction as a part of a sentence.
    func writing(_ attribute: String, _ value: String) -> String {
        isXcode ? Self.step(attribute, value) : "\(attribute)=\"\(value)\""
    }

    /// An instruction to remove an XML attribute.
    func remove(_ attribute: String, _ value: String) -> String {
        guard isXcode else { return "Remove \(attribute)=\"\(value)\"" }
        return switch Vocabulary.xcodeFields[attribute] {
        case .box(let label, _), .flag(let label, _): "Uncheck \(label)"
        case .choice(let label, let choices, _):
            choices["false"].map { "Set \(label) to \($0)" } ?? "Clear \(label)"
        case let field?: "Clear \(field.label)"
        case nil: "Remove the user info \(Self.key(attribute))"
        }
    }

    /// A type of attributes, by the word that Cambium's language has for it.
    func type(_ word: String) -> String {
        isXcode ? Self.xcodeTypes[word] ?? word : word
    }

    /// An instruction to make a property optional in the file too.
    var makeOptional: String {
        isXcode ? "Make it optional in Xcode too" : "Write optional=\"true\""
    }

    /// The form of Boolean values.
    var boolHint: String { isXcode ? "Write YES or NO" : "Write true or false" }

    /// The format of dates.
    var dateHint: String {
        isXcode
            ? "Choose a date of the years 1 to 9999"
            : "Write 2026-01-31 or 2026-01-31T12:00:00Z, or now in a default"
    }

    /// The number of decimal places.
    var scaleHint: String {
        isXcode
            ? "The places are set by the user info \(Self.key("scale"))"
            : "The scale is set by scale=\"…\""
    }

    /// An instruction to declare a parameter of a named request.
    func declaration(ofParameter name: String, of request: String) -> String {
        isXcode
            ? "Add '\(name)' to the user info \(Self.key("fetch.\(request).parameters"))"
            : "Declare it in the <fetch>: <parameter name=\"\(name)\"/>"
    }

    /// The message for an element of Cambium's language in which an XML attribute is missing.
    func missing(_ attribute: String, in element: String, named name: String?) -> String {
        guard isXcode else { return "<\(element)> needs the attribute '\(attribute)'" }
        let kind = Self.kinds[element] ?? element
        return "The \(kind)\(name.map { " '\($0)'" } ?? "") has no \(self.name(attribute))"
    }

    /// An instruction to fix a problem of a migration outside of the migration's declaration.
    ///
    /// - Parameters:
    ///   - fix: The solution.
    ///   - old: The name of the version before the migration.
    ///   - renamingID: Returns Xcode's identifier of an element of the old version.
    func text(
        of fix: MigrationFix, from old: String, renamingID: (String) -> String
    ) -> String {
        switch fix {
        case .rename(let declaration, let name, let former) where isXcode:
            let target = name.map { "'\($0)'" } ?? "the \(declaration.rawValue) that it is now"
            return "Set the Renaming ID of \(target) to '\(renamingID(former))'"
        case .takeBack(_, let name, _) where isXcode:
            return "Clear the Renaming ID of '\(name)'"
        case .takeBack(_, let name, let former):
            return "Take back that '\(name)' was renamed from '\(former)'"
        case .keepCase(let enumeration, let name, let value) where isXcode:
            return """
                Write \(name ?? "newName")=\(value) in the user info \(Self.key("enum")) that \
                declares '\(enumeration)'
                """
        case .giveDefault(let name, _) where isXcode:
            return "Set the Default Value of '\(name)'"
        case .makeOptional(_, let name, _) where isXcode:
            return "Check Optional for '\(name)'"
        case .rename(let declaration, nil, let former):
            return "Write renamedFrom=\"\(former)\" at the \(declaration.rawValue) that it is now"
        default:
            return "Write \(fix.xml(from: old))"
        }
    }

    /// An instruction to add a declaration to the migration.
    func migration(
        saying xml: String, from old: String, to new: String, hasMigration: Bool
    ) -> String {
        guard isXcode else {
            // There may be several notes of the kind, and a version has one such element.
            return hasMigration
                ? "Write in <migration>: \(xml)" : "Write in <migration from=\"\(old)\">: \(xml)"
        }
        let whole = "<migration from=\"\(old)\">\(xml)</migration>"
        let key = Self.key("model.migration.\(new)")
        return hasMigration
            ? "Write in the user info \(key): \(xml)"
            : "Add to an entity the user info \(key) = \(whole)"
    }

    /// The place for a declaration of the migration.
    func migration(to version: String) -> String {
        isXcode ? "the user info \(Self.key("model.migration.\(version)"))" : "the migration"
    }

    // MARK: Xcode's model editor

    private static let kinds = [
        "fetched": "fetched property", "fetch": "fetch request", "derived": "derived attribute",
        "by": "element of the index", "unique": "constraint",
    ]

    private static let xcodeTypes = Dictionary(
        firstOf: AttributeSpelling.words.map { ($1, $0) } + [
            ("codable", "Transformable")
        ])

    private static func key(_ name: String) -> String { UserInfo.prefix + name }

    private static func step(_ attribute: String, _ value: String) -> String {
        switch Vocabulary.xcodeFields[attribute] {
        case .box(let label, _), .flag(let label, _):
            value == "false" ? "uncheck \(label)" : "check \(label)"
        case .choice(let label, let choices, _):
            "set \(label) to \(choices[value] ?? value)"
        case let field?:
            value == "…" ? "set \(field.label)" : "set \(field.label) to \(value)"
        case nil:
            "add the user info \(key(attribute)) = \(value)"
        }
    }
}

extension StringProtocol {
    /// With a capital letter at the start.
    package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// The words of a list that are separated by white space or commas, with their places.
struct WordList {
    /// A word.
    struct Word {
        let text: String
        /// The start of the word, in bytes of the list's text.
        let offset: Int
    }

    let words: [Word]

    init(_ text: String) {
        let utf8 = text.utf8
        words = utf8.split(whereSeparator: { " \t\r\n,".utf8.contains($0) }).map { word in
            Word(
                text: String(decoding: word, as: UTF8.self),
                offset: utf8.distance(from: utf8.startIndex, to: word.startIndex))
        }
    }
}
