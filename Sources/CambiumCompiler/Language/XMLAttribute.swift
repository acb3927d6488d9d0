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
    convenience init(
        _ name: String, _ kind: Kind, _ text: String, _ xcode: XcodeField? = nil
    ) {
        self.init(name, kind, text, xcode, isRequired: false)
    }

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

        static let flag = Kind.flag(default: false)

        static func count(from least: Int = 0) -> Kind { .count(least...Int(Int32.max)) }

        static func words<Word>(_: Word.Type) -> Kind
        where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
            .words(Word.allCases.map(\.rawValue))
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
