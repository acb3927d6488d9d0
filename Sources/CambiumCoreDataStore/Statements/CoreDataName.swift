import CambiumModel
import CambiumSQL

/// Core Data's names of tables and columns: `Z` and the name in capital letters. If the name exists
/// already, a number follows. If the name belongs to an entity, the number of the entity precedes
/// it.
enum CoreDataName {
    /// The table of a root entity.
    static func table(of entity: String) -> String { "Z" + entity.uppercased() }

    /// The column of a property, if no other property has the name.
    static func column(of property: String) -> String {
        // The parts of a composite value are columns of their own.
        "Z" + property.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    /// The column of the places that belong to a column of keys: `ZORDER` has `Z_FOK_ORDER`, and
    /// `Z_3ORDERS` has `Z_FOK_3ORDERS`.
    static func positions(of column: String) -> String {
        "Z_FOK_" + column.drop { $0 == "Z" }.drop { $0 == "_" }
    }

    /// A name that begins with the number of an entity.
    struct Numbered {
        let number: Int64
        let name: Substring

        /// Reads `Z_12NAME`, or nil if the text is not such a name.
        init?(joined text: String) {
            guard text.hasPrefix("Z_") else { return nil }
            self.init(text.dropFirst(2))
        }

        /// Reads `Z12NAME` and `Z12_NAME`, or nil if the text is not such a name.
        init?(column text: String) {
            guard text.hasPrefix("Z") else { return nil }
            self.init(text.dropFirst())
        }

        private init?(_ text: Substring) {
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int64(digits), digits.count < text.count else { return nil }
            self.number = number
            name = text.dropFirst(digits.count)
        }

        /// Returns whether the name is that of a property, with or without a number at the end.
        func isOf(_ property: String) -> Bool {
            let expected = property.uppercased()
            return name.hasPrefix(expected)
                && name.dropFirst(expected.count).allSatisfy { $0.isASCII && $0.isNumber }
        }
    }

    /// Whether a column contains the entity numbers of the objects that a key references.
    static func isEntity(_ column: String, ofKey key: String) -> Bool {
        Numbered(column: column).map { $0.name == "_" + key.dropFirst() } ?? false
    }

    /// The types that tables declare for an attribute; nil if any type is valid.
    static func types(of attribute: Attribute) -> Set<String>? {
        if attribute.derivation != nil { return nil }
        return switch attribute.type {
        case .float, .double: ["FLOAT", "DOUBLE", "REAL"]
        case .decimal, .anyDecimal: ["DECIMAL"]
        case .string, .uri: ["VARCHAR", "TEXT"]
        case .date: ["TIMESTAMP"]
        case .uuid, .data: ["BLOB"]
        case .enumeration, .codable: nil
        default: ["INTEGER", "BOOLEAN"]
        }
    }

    /// The known types. Other types are not compared.
    static let knownTypes: Set = [
        "INTEGER", "BOOLEAN", "FLOAT", "DOUBLE", "REAL", "DECIMAL", "VARCHAR", "TEXT", "TIMESTAMP",
        "BLOB",
    ]
}
