extension DiagnosticCode {
    /// An example. What is a model is compiled by the tests. Written as a literal, it is a model.
    package indirect enum Example: Sendable, ExpressibleByStringLiteral {
        /// What stands in the `<model>` of the first version.
        case model(String)
        /// What stands in two versions, the second after the first.
        case versions(String, String)
        /// A whole file.
        case file(String)
        /// Something that cannot be shown as XML, in words.
        case words(String)

        package init(stringLiteral text: String) { self = .model(text) }

        /// A model of one entity with some properties.
        static func product(_ properties: String...) -> Example {
            .model(DiagnosticCode.entity("Product", properties))
        }

        /// A model of two entities with one property each.
        static func shop(_ product: String, _ category: String) -> Example {
            let category = DiagnosticCode.entity("Category", [category])
            return .model(DiagnosticCode.product(product) + "\n" + category)
        }

        /// The text to print.
        package var text: String {
            switch self {
            case .model(let text), .file(let text), .words(let text): text
            case .versions(let first, let second): "1.xml:\n\(first)\n2.xml:\n\(second)"
            }
        }
    }

    /// Describes a code whose examples have the same first version, `before`. The second version has
    /// `after` in both, and then what is only in the one that is wrong, or only in the right one.
    init(
        _ number: Int, _ severity: Severity = .error, about subject: Subject? = nil,
        title: String, meaning: String, remedy: String, before: String, after: String = "",
        wrong: String = "", right: String = ""
    ) {
        func versions(_ own: String) -> Example {
            .versions(before, [after, own].filter { !$0.isEmpty }.joined(separator: "\n"))
        }
        self.init(
            number, severity, about: subject, title: title, meaning: meaning, remedy: remedy,
            wrong: versions(wrong), right: versions(right))
    }

    /// An entity with some properties, as most examples have it; with one, where none is given.
    static func product(_ properties: String...) -> String {
        entity(
            "Product",
            properties.isEmpty ? [#"<attribute name="sku" type="string"/>"#] : properties)
    }

    /// An album with a list of tracks: what is said of the list, and what else tracks have.
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
