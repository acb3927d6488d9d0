import CambiumModel

extension Catalogue {
    /// A column of a table, or a constraint over several.
    package struct Part: Sendable, Hashable {
        /// Its name; of a constraint without one its first word.
        package let name: String
        /// Whether it is a column.
        package let isColumn: Bool
        /// What the table's statement says of it, in a normal form.
        package let definition: String
    }

    /// The parts of a table, in the order of its statement; nil where there is no such table.
    package func parts(of table: String) -> [Part]? {
        (tables[table] ?? entries[table]).flatMap { TableText(Self.withoutSpace($0)) }?
            .parts.map(Part.init)
    }

    /// The columns without which a table is what a fingerprint says: others have added them. None
    /// where it differs in another way.
    package func columnsAdded(to table: String, ofFingerprint fingerprint: String) -> [Part] {
        guard let text = tables[table].map(Self.withoutSpace).flatMap(TableText.init) else {
            return []
        }
        let parts = text.parts.map(Part.init)
        let columns = parts.indices.filter { parts[$0].isColumn }
        func isRest(without added: [Int]) -> Bool {
            let rest = parts.indices.filter { !added.contains($0) }
            let sorted = rest.map { parts[$0].definition }.sorted().joined(separator: ",")
            return Self.fingerprint(of: text.head + sorted + text.tail) == fingerprint
        }
        // One or two anywhere, more where ALTER TABLE puts them.
        let pairs = columns.flatMap { first in columns.filter { $0 > first }.map { [first, $0] } }
        let ends = columns.indices.dropLast().map { Array(columns[($0 + 1)...]) }.reversed()
        let found = (columns.map { [$0] } + pairs + ends.filter { $0.count > 2 })
            .first(where: isRest)
        return (found ?? []).map { parts[$0] }
    }

    /// The same without some columns of tables: those of others.
    package func without(columns: [String: Set<String>]) -> Catalogue {
        var entries = entries
        var tables = tables
        for (table, names) in columns {
            guard let statement = tables[table], let text = TableText(statement) else { continue }
            let parts = text.parts.filter { definition in
                let part = Part(definition)
                return !(part.isColumn && names.contains(part.name))
            }
            let rest =
                text.head + "\n    " + parts.joined(separator: ",\n    ") + "\n" + text.tail
            tables[table] = rest
            entries[table] = Self.normalized(rest)
        }
        return Catalogue(entries: entries, tables: tables)
    }
}

extension Catalogue.Part {
    /// Reads a part of a CREATE TABLE statement.
    fileprivate init(_ definition: String) {
        var rest = definition[...]
        let isQuoted = rest.first.map { "\"`[".contains($0) } ?? false
        let word = Self.name(at: &rest)
        isColumn = isQuoted || !Self.constraintWords.contains(word.uppercased())
        self.definition = definition
        guard !isColumn, word.uppercased() == "CONSTRAINT" else {
            name = word
            return
        }
        rest = rest.drop { $0 == " " }
        name = Self.name(at: &rest)
    }

    private static let constraintWords: Set = [
        "CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "FOREIGN",
    ]

    /// A name in or without quotes; the text is what comes after it then.
    private static func name(at text: inout Substring) -> String {
        guard let first = text.first, "\"`[".contains(first) else {
            let name = text.prefix { !" (\n\t".contains($0) }
            text = text.dropFirst(name.count)
            return String(name)
        }
        let close: Character = first == "[" ? "]" : first
        var name = ""
        text = text.dropFirst()
        while let character = text.popFirst() {
            if character == close {
                guard first != "[", text.first == close else { break }
                text = text.dropFirst()
            }
            name.append(character)
        }
        return name
    }
}
