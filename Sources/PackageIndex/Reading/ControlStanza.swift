/// One paragraph of a file in Debian's control format: fields that belong together.
struct ControlStanza: Sendable, Equatable {
    /// The line of its first field, from 1.
    let line: Int
    /// The fields, in order; only the ones that the reader keeps.
    let fields: [ControlField]
    /// The problems of its lines. A stanza with problems should not be trusted.
    let problems: [ControlProblem]

    /// The first field of a name in lower case.
    subscript(name: String) -> ControlField? {
        fields.first { $0.name == name }
    }

    /// The number of fields with that name.
    func count(of name: String) -> Int {
        fields.reduce(0) { $0 + ($1.name == name ? 1 : 0) }
    }
}

/// A field: a name, a colon, and a value that may go on in following lines.
struct ControlField: Sendable, Equatable {
    /// The name in lower case: names do not differ by case.
    let name: String
    /// The value without surrounding white space; each further line follows a newline and is
    /// without its leading and trailing white space.
    let value: String
    /// The line of its name, from 1.
    let line: Int

    /// The value's first line.
    var firstLine: Substring {
        value.prefix { $0 != "\n" }
    }
}

/// A line that does not follow the format.
struct ControlProblem: Sendable, Equatable {
    let line: Int
    let reason: String
}
