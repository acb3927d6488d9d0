import CambiumModel
import CambiumSQL

// Texts that may be no URI: Core Data takes some for one that are none here.
extension ObjectAdoptionSQL {
    /// An attribute of URIs, and the rows of our store that are to be looked at.
    struct DoubtfulURIs: Sendable {
        /// The attribute.
        let attribute: Attribute
        /// Key and text of the rows whose text is not plainly a URI.
        let query: String
    }

    /// The attributes of URIs.
    var doubtfulURIs: [DoubtfulURIs] {
        object.attributes.filter { $0.attribute.type == .uri && $0.column != nil }.map { source in
            let name = SQLText.identifier(
                layout.model.column(of: source.attribute.name, in: source.entity))
            // A name of a host without a port cannot be wrong. What comes after it is escaped.
            let isPlain = ["http", "https"].map { "\(name) GLOB '\($0)://[a-zA-Z0-9]*'" }
            return DoubtfulURIs(
                attribute: source.attribute,
                query: "SELECT \"_id\", \(name) FROM \(SQLText.identifier(table.name)) NOT INDEXED "
                    + "WHERE \(name) IS NOT NULL AND (instr(substr(\(name), 9), ':') <> 0 "
                    + "OR instr(substr(\(name), 9), '[') <> 0 "
                    + "OR NOT (\(isPlain.joined(separator: " OR "))))")
        }
    }

    /// Takes a row of our store away (parameter 1).
    var remove: String {
        "DELETE FROM \(SQLText.identifier(table.name)) WHERE \"_id\" = ?1"
    }
}
