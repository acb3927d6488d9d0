import CambiumCompiler

/// The explanation of a code. The tests compile the examples. If an example is only a description,
/// the tests of the compiler have a folder `Cases/Diagnostics/CM<number>-…`.
package struct Explanation: Sendable {
    /// The code.
    package let code: DiagnosticCode
    /// The kind of finding, in a few words.
    package let title: String
    /// The meaning of the code, and why it matters.
    package let meaning: String
    /// The suggested fix.
    package let remedy: String
    /// A model with the mistake.
    package let wrong: Example
    /// The example without the mistake.
    package let right: Example

    /// Explains a code.
    init(
        _ code: DiagnosticCode, title: String, meaning: String, remedy: String, wrong: Example,
        right: Example
    ) {
        self.code = code
        self.title = title
        self.meaning = meaning
        self.remedy = remedy
        self.wrong = wrong
        self.right = right
    }

    /// The explanations of all codes, by number.
    static let all = [
        ofFiles, ofAttributes, ofEntities, ofExpressions, ofMigrations, ofLint,
    ].flatMap(\.self)

    fileprivate static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
}

extension DiagnosticCode {
    /// The explanation of the code.
    package var explanation: Explanation {
        guard let explanation = Explanation.byCode[self] else {
            preconditionFailure("\(name) has no explanation; the tests look for each.")
        }
        return explanation
    }
}

extension Explanation {
    /// The explanation, as `cambium explain` prints it.
    package var text: String {
        """
        \(code.name) (\(code.severity.rawValue)): \(title)

        \(Self.wrapped(meaning + inXcode))

        Wrong:
        \(Self.indented(wrong.text))

        Right:
        \(Self.indented(right.text))

        \(Self.wrapped(remedy))

        """
    }

    private var inXcode: String {
        code.isWarningInXcode
            ? "\n\nIn a model of Xcode, this is only a warning if Xcode accepts the model. "
                + "The warning says what Cambium does instead."
            : ""
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
    }

    /// Paragraphs of at most 80 columns.
    private static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
            let words = paragraph.split(separator: " ").map(String.init)
            return SwiftWriter.filled(words, separator: " ", room: 80).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

extension Explanation {
    /// An example. The tests compile all examples that are models. A literal is a model.
    package indirect enum Example: Sendable, ExpressibleByStringLiteral {
        /// The content of the `<model>` of the first version.
        case model(String)
        /// The contents of two versions, the second after the first.
        case versions(String, String)
        /// A whole file.
        case file(String)
        /// A description of a mistake that cannot be shown as XML.
        case words(String)

        package init(stringLiteral text: String) { self = .model(text) }

        /// A model of one entity with some properties.
        static func product(_ properties: String...) -> Example {
            .model(Explanation.entity("Product", properties))
        }

        /// A model of two entities with one property each.
        static func shop(_ product: String, _ category: String) -> Example {
            let category = Explanation.entity("Category", [category])
            return .model(Explanation.product(product) + "\n" + category)
        }

        /// The text to print.
        package var text: String {
            switch self {
            case .model(let text), .file(let text), .words(let text): text
            case .versions(let first, let second): "1.xml:\n\(first)\n2.xml:\n\(second)"
            }
        }
    }

    /// Describes a code with two examples that have the same first version, `before`. The second
    /// version has `after` in both, and then a part that is only in the wrong or only in the right
    /// one.
    init(
        _ code: DiagnosticCode,
        title: String, meaning: String, remedy: String, before: String, after: String = "",
        wrong: String = "", right: String = ""
    ) {
        func versions(_ own: String) -> Example {
            .versions(before, [after, own].filter { !$0.isEmpty }.joined(separator: "\n"))
        }
        self.init(
            code, title: title, meaning: meaning, remedy: remedy,
            wrong: versions(wrong), right: versions(right))
    }

    /// An entity with some properties, for most examples; with a single property, if none is given.
    static func product(_ properties: String...) -> String {
        entity(
            "Product",
            properties.isEmpty ? [#"<attribute name="sku" type="string"/>"#] : properties)
    }

    /// An album with a list of tracks. The parameters are the further attributes of the list, and
    /// further properties of tracks.
    static func album(_ list: String = "", _ properties: String...) -> String {
        let tracks =
            #"<relationship name="tracks" to="Track" inverse="album" many="true"\#(list)/>"#
        let title = #"<attribute name="title" type="string"/>"#
        let album = #"<relationship name="album" to="Album" inverse="tracks" optional="true"/>"#
        return entity("Album", [tracks]) + "\n" + entity("Track", [title] + properties + [album])
    }

    /// The declaration of a migration with one line.
    static func migration(_ declaration: String) -> String {
        "<migration from=\"1\">\n  \(declaration)\n</migration>"
    }

    private static func entity(_ name: String, _ properties: [String]) -> String {
        (["<entity name=\"\(name)\">"] + properties.map { "  \($0)" } + ["</entity>"])
            .joined(separator: "\n")
    }
}
