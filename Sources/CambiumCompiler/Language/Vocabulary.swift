/// The elements of the language, by their names. Only the compiler reads XML, so the table is here
/// and not in the module of models.
package enum Vocabulary {
    /// The namespace of every element.
    package static let namespace = "urn:cambium:model:1"

    /// Whether a name is an identifier in models: a letter, then letters, digits and underscores.
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
    package static let rules = Dictionary(
        uniqueKeysWithValues: elements.map { ($0.key, $0) })

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
    package static let declarations = ElementDescriptor.ofDeclarations.map(\.key)

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
        elements.flatMap { element in
            element.fields.compactMap { attribute in attribute.xcode.map { (attribute.name, $0) } }
        }, uniquingKeysWith: { first, _ in first })

    /// The flags that are true where they are not written.
    static let trueFlags = Set(
        elements.flatMap(\.fields).filter { if case .flag(true) = $0.kind { true } else { false } }
            .map(\.name))

    /// The words that an XML attribute may be.
    static func words(_ name: String, of element: String) -> [String] {
        guard case .words(let words)? = rules[element]?[name]?.kind else { return [] }
        return words
    }
}
