/// The elements of the language, by their names. Only the compiler reads XML, so the table is here
/// and not in the module of models.
package enum Vocabulary {
    /// The namespace of every element.
    package static let namespace = "urn:cambium:model:1"

    /// Whether a name is an identifier in models: a letter, then letters, digits and underscores.
    @inline(never)
    package static func isIdentifier(_ name: String) -> Bool {
        // Most names are ASCII, which needs no look into Unicode's tables.
        if let first = name.utf8.first, isLetter(first),
            name.utf8.allSatisfy({
                isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
            })
        {
            return true
        }
        guard let first = name.unicodeScalars.first, first.properties.isXIDStart else {
            return false
        }
        return name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }

    /// Whether a byte is an ASCII letter.
    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20)
    }

    /// A name as an identifier: an underscore stands for every sign that cannot be in one, and a
    /// word before it where it could not start one.
    static func identifier(_ name: String, after word: String) -> String {
        let signs = name.unicodeScalars.map { $0.properties.isXIDContinue ? Character($0) : "_" }
        let legal = String(signs)
        return isIdentifier(legal) ? legal : word + legal
    }

    // MARK: Elements

    /// Each element; those that mean something else in one parent have its name too.
    package static let rules = Dictionary(firstOf: elements.map { ($0.key, $0) })

    private static let elements =
        ElementDescriptor.ofModels + ElementDescriptor.ofEntities + ElementDescriptor.ofMigrations
        + ElementDescriptor.ofDeclarations.map { declaration in
            ElementDescriptor(
                declaration.key, declaration.text,
                declaration.fields.filter { $0.name != XMLAttribute.meaning.name })
        }
        + ElementDescriptor.ofDeclarations.map { declaration in
            ElementDescriptor(
                "history/migration/\(declaration.key)", declaration.text, declaration.fields)
        }

    /// What is declared about a step from one version to the next.
    package static let declarations = ElementDescriptor.ofDeclarations.map { $0.key }

    /// The rule of an element that stands in another.
    static func rule(of element: String, in parent: String) -> ElementDescriptor? {
        // The only one so far; most models have thousands of the others.
        parent == "composite" ? rules["\(parent)/\(element)"] ?? rules[element] : rules[element]
    }

    // MARK: XML attributes

    /// Of each element's name the XML attributes in the order in which they are written, wherever
    /// it stands.
    static let orders = Dictionary(
        elements.map { ($0.name, $0.attributes) },
        uniquingKeysWith: { $0.count > $1.count ? $0 : $1 })

    /// The fields of Xcode's model editor, by the XML attributes that they are for.
    static let xcodeFields = Dictionary(
        firstOf: elements.flatMap { element in
            element.fields.compactMap { attribute in attribute.xcode.map { (attribute.name, $0) } }
        })

    /// The flags that are true where they are not written.
    static let trueFlags = Set(
        elements.flatMap { $0.fields }.filter {
            if case .flag(true) = $0.kind { true } else { false }
        }
        .map { $0.name })

    /// The words that an XML attribute may be.
    static func words(_ name: String, of element: String) -> [String] {
        switch rules[element]?[name]?.kind {
        case .words(let words), .wordList(let words): words
        default: []
        }
    }
}

/// An element of the language: a row of the table that the reader, the checker, the formatter, the
/// schema for editors and the conversions from and to Xcode's files share.
///
/// A new XML attribute is written here, and where its value is used.
package final class ElementDescriptor: Sendable {
    /// The name; after that of its parent and a slash where it means something else there.
    package let key: String
    /// What it is, in a sentence: editors show it.
    package let text: String
    /// The XML attributes, in the order in which they are written.
    package let fields: [XMLAttribute]
    /// The elements that may be in it.
    package let children: [String]
    /// Whether text in it means something.
    package let hasText: Bool
    /// The names of the XML attributes, in their order.
    package let attributes: [String]
    /// The names of those that it must have.
    package let required: [String]

    init(
        _ key: String, _ text: String, _ fields: [XMLAttribute]..., children: [String] = [],
        hasText: Bool = false
    ) {
        self.key = key
        self.text = text
        self.fields = fields.flatMap(\.self)
        self.children = children
        self.hasText = hasText
        attributes = self.fields.map { $0.name }
        required = self.fields.filter { $0.isRequired }.map { $0.name }
    }

    /// The name, without that of a parent.
    var name: String { key.split(separator: "/").last.map(String.init) ?? key }

    /// The XML attribute of that name.
    package subscript(name: String) -> XMLAttribute? { fields.first { $0.name == name } }
}

/// An XML attribute of an element: what the language knows of it.
package final class XMLAttribute: Sendable {
    /// The name.
    package let name: String
    /// What its value may be.
    package let kind: Kind
    /// What it means, in a sentence: editors show it.
    package let text: String
    /// Whether the element must have it.
    package let isRequired: Bool
    /// What Xcode has for it.
    let xcode: XcodeField?

    /// Describes an XML attribute that may be missing.
    @inline(never)
    convenience init(
        _ name: String, _ kind: Kind, _ text: String, _ xcode: XcodeField? = nil
    ) {
        self.init(name, kind, text, xcode, isRequired: false)
    }

    @inline(never)
    private init(
        _ name: String, _ kind: Kind, _ text: String, _ xcode: XcodeField?, isRequired: Bool
    ) {
        self.name = name
        self.kind = kind
        self.text = text
        self.xcode = xcode
        self.isRequired = isRequired
    }

    /// The same where it must not be missing.
    @inline(never)
    var required: XMLAttribute {
        XMLAttribute(name, kind, text, xcode, isRequired: true)
    }

    /// What a value may be.
    package enum Kind: Sendable {
        /// Any text.
        case text
        /// A name.
        case name
        /// `true` or `false`, and what counts where neither is written.
        case flag(default: Bool)
        /// An integer of a range.
        case count(ClosedRange<Int>)
        /// A number of decimal places, or `any`.
        case scale
        /// A type of the language, or the name of one of the model's.
        case type
        /// One of a few words.
        case words([String])
        /// Some of a few words, separated by spaces.
        case wordList([String])

        static let flag = Kind.flag(default: false)

        static func count(from least: Int = 0) -> Kind { .count(least...Int(Int32.max)) }

        @_semantics("optimize.sil.specialize.generic.never")
        @inline(never)
        static func words<Word>(_: Word.Type) -> Kind
        where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
            .words(Word.allCases.map { $0.rawValue })
        }

        @_semantics("optimize.sil.specialize.generic.never")
        @inline(never)
        static func wordList<Word>(_: Word.Type) -> Kind
        where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
            .wordList(Word.allCases.map { $0.rawValue })
        }
    }
}

/// A field of the inspectors in Xcode's model editor, with the XML attribute of Xcode's files that has
/// its value, unless that depends on more than the value.
enum XcodeField: Sendable {
    /// A box; only that it is checked is written.
    case box(String, String? = nil)
    /// A box; `YES` or `NO` is written.
    case flag(String, String)
    /// A menu, by what it offers for the words of Cambium's language.
    case choice(String, [String: String], String? = nil)
    /// A text or number.
    case value(String, String? = nil)
    /// Something for which other words are written.
    case word(String, String, [String: String])

    var label: String {
        switch self {
        case .box(let label, _), .flag(let label, _), .choice(let label, _, _),
            .value(let label, _), .word(let label, _, _):
            label
        }
    }

    /// The XML attribute, what is written there for which words, and whether anything else is
    /// written as it is.
    var spelling: (name: String, words: [String: String], writesOthers: Bool)? {
        switch self {
        case .box(_, let name?), .choice(_, _, let name?): (name, ["true": "YES"], false)
        case .flag(_, let name): (name, ["true": "YES", "false": "NO"], true)
        case .value(_, let name?): (name, [:], true)
        case .word(_, let name, let words): (name, words, true)
        case .box, .choice, .value: nil
        }
    }
}

/// An engine of the stores that a model is meant for: a word of the model's `engines` attribute.
package enum CheckedEngine: String, Sendable, CaseIterable {
    case sqlite
    case postgres
}

/// Who may use the Swift code that is generated from a model: the model's `access` attribute.
package enum AccessLevel: String, Sendable, Hashable, CaseIterable {
    /// The target that compiles the model. The default, and written without a modifier.
    case `internal`
    /// Every target that imports it.
    case `public`
}
