/// The elements of the language, by their names. Only the compiler reads XML, so the table is here
/// and not in the module of models.
package enum Vocabulary {
    /// The namespace of every element.
    package static let namespace = "urn:cambium:model:1"

    /// Whether a name is an identifier in models: a letter, then letters, digits and underscores.
    @inline(never)
    package static func isIdentifier(_ name: String) -> Bool {
        // Most names are ASCII, which can be checked without Unicode's tables.
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

    /// A name as an identifier: invalid characters become underscores. If the result cannot start
    /// an identifier, a word precedes it.
    static func identifier(_ name: String, after word: String) -> String {
        let signs = name.unicodeScalars.map { $0.properties.isXIDContinue ? Character($0) : "_" }
        let legal = String(signs)
        return isIdentifier(legal) ? legal : word + legal
    }

    // MARK: Elements

    /// The elements, by name. If an element has another meaning in one parent, the key includes the
    /// parent's name.
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

    /// The names of the declarations about a step from one version to the next.
    package static let declarations = ElementDescriptor.ofDeclarations.map { $0.key }

    /// The rule of an element within another.
    static func rule(of element: String, in parent: String) -> ElementDescriptor? {
        // It is the only such element so far, and most models have thousands of the other elements.
        parent == "composite" ? rules["\(parent)/\(element)"] ?? rules[element] : rules[element]
    }

    // MARK: XML attributes

    /// The XML attributes of each element name in the order in which they are written, for all
    /// parents.
    static let orders = Dictionary(
        elements.map { ($0.name, $0.attributes) },
        uniquingKeysWith: { $0.count > $1.count ? $0 : $1 })

    /// The fields of Xcode's model editor, by the corresponding XML attributes.
    static let xcodeFields = Dictionary(
        firstOf: elements.flatMap { element in
            element.fields.compactMap { attribute in attribute.xcode.map { (attribute.name, $0) } }
        })

    /// The flags with the default true.
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

/// An element of the language, as a row of a table. The reader, the checker, the formatter, the
/// schema for editors and the conversions from and to Xcode's files use this table.
///
/// To add an XML attribute, add it here and in the code that uses its value.
package final class ElementDescriptor: Sendable {
    /// The name. If the element has another meaning in one parent, the name of the parent and a
    /// slash precede it.
    package let key: String
    /// A description in a sentence, for editors.
    package let text: String
    /// The XML attributes, in the order in which they are written.
    package let fields: [XMLAttribute]
    /// The elements that may be in it.
    package let children: [String]
    /// Whether text in it means something.
    package let hasText: Bool
    /// The names of the XML attributes, in their order.
    package let attributes: [String]
    /// The names of the required XML attributes.
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

/// An XML attribute of an element: its kind, description and counterpart in Xcode.
package final class XMLAttribute: Sendable {
    /// The name.
    package let name: String
    /// The kind of its value.
    package let kind: Kind
    /// A description in a sentence, for editors.
    package let text: String
    /// Whether the attribute is required.
    package let isRequired: Bool
    /// The corresponding field in Xcode.
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

    /// The attribute as a required one.
    @inline(never)
    var required: XMLAttribute {
        XMLAttribute(name, kind, text, xcode, isRequired: true)
    }

    /// The kind of a value.
    package enum Kind: Sendable {
        /// Any text.
        case text
        /// A name.
        case name
        /// `true` or `false`, and the default.
        case flag(default: Bool)
        /// An integer of a range.
        case count(ClosedRange<Int>)
        /// A number of decimal places, or `any`.
        case scale
        /// A type of the language, or the name of one of the model's.
        case type
        /// One word of a short list.
        case words([String])
        /// Several words of a short list, separated by spaces.
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

/// A field of the inspectors in Xcode's model editor, with the XML attribute of Xcode's files for
/// its value, unless that depends on further values.
enum XcodeField: Sendable {
    /// A box; only that it is checked is written.
    case box(String, String? = nil)
    /// A box; `YES` or `NO` is written.
    case flag(String, String)
    /// A menu, with its items by the words of Cambium's language.
    case choice(String, [String: String], String? = nil)
    /// A text or number.
    case value(String, String? = nil)
    /// A field with other words in Xcode's files.
    case word(String, String, [String: String])

    var label: String {
        switch self {
        case .box(let label, _), .flag(let label, _), .choice(let label, _, _),
            .value(let label, _), .word(let label, _, _):
            label
        }
    }

    /// The XML attribute, the values written for Cambium's words, and whether all other values are
    /// written verbatim.
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

/// An engine of a model's stores: a word of the model's `engines` attribute.
package enum CheckedEngine: String, Sendable, CaseIterable {
    case sqlite
    case postgres
}

/// The access level of the Swift code generated from a model: the model's `access` attribute.
package enum AccessLevel: String, Sendable, Hashable, CaseIterable {
    /// The target that compiles the model. The default, and written without a modifier.
    case `internal`
    /// Every target that imports it.
    case `public`
}
