import CambiumModel
import CambiumSQL

/// Names in PostgreSQL. It keeps 63 bytes of each, and has columns of its own in every table.
package enum PostgresName {
    package static let maximum = 63
    /// The server's own columns.
    private static let taken: Set = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]

    /// A name in quotes, in the form that the server has.
    package static func identifier(_ name: String) -> String { SQLText.identifier(short(name)) }

    /// A statement with all of its quoted names in the server's form.
    package static func shortened(_ sql: String) -> String {
        let maximum = sql.utf8.count
        var result = ""
        result.reserveCapacity(maximum)
        var rest = sql[...]
        while let start = rest.firstIndex(where: { $0 == "\"" || $0 == "'" }) {
            let quote = rest[start]
            result += rest[..<start]
            rest = rest[rest.index(after: start)...]
            // A doubled quote inside a quoted name ends one part here and begins the next at once.
            let end = rest.firstIndex(of: quote) ?? rest.endIndex
            let name = rest[..<end]
            result += quote == "'" ? "'\(name)'" : identifier(String(name))
            rest = end == rest.endIndex ? "" : rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// The form of a name on the server. A name that the server does not accept becomes its
    /// beginning and a hash, the same wherever the name is used.
    package static func short(_ name: String) -> String {
        guard name.utf8.count > maximum || taken.contains(name) else { return name }
        let hash = SHA256.hexadecimal(of: name).prefix(12)
        var beginning = name[...]
        while beginning.utf8.count + hash.utf8.count + 1 > maximum {
            beginning = beginning.dropLast()
        }
        return "\(beginning)~\(hash)"
    }
}
