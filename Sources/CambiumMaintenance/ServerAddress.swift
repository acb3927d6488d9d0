import CambiumModel

/// The address of a store on a server, on a command line: the URL for libpq, and the name of the
/// schema after a `#`, as in `postgresql://host/database#shop`. Without a name, the schema is
/// `cambium`.
package struct ServerAddress: Equatable {
    /// The server and the database.
    package let url: String
    /// The name of the schema; nil if the part after the `#` is not a name.
    package let schema: String?
    /// The name of the store in messages. It contains neither a password nor a user.
    package let name: String

    /// The beginnings of the URLs of servers.
    private static let schemes = ["postgresql://", "postgres://"]
    private static let defaultSchema = "cambium"

    /// Parses a word of a command line; nil if it is not the URL of a server.
    package init?(_ word: String) {
        guard Self.isURL(word) else { return nil }
        let parts = word.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        url = String(parts[0])
        let schema = parts.count > 1 ? Self.decoded(parts[1]) : Self.defaultSchema
        self.schema = schema?.isEmpty == false ? schema : nil
        let server = Self.withoutUser(url)
        name = self.schema.map { $0 == Self.defaultSchema ? server : "\(server)#\($0)" } ?? server
    }

    /// A part of a URL with its percent-encoded characters decoded (`%20`); nil if an encoding is
    /// invalid.
    private static func decoded(_ part: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = part.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let code = rest.prefix(2)
            guard code.count == 2, code.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(Substring(code), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether a word is the URL of a server.
    package static func isURL(_ word: String) -> Bool {
        schemes.contains { word.lowercased().hasPrefix($0) }
    }

    /// The server and the database of a URL, without the user, the password and the parameters.
    private static func withoutUser(_ url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let rest = url[start...].prefix { $0 != "?" }
        // A password may contain an @ that should have been percent-encoded.
        let address = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        return url[..<start] + String(address)
    }
}
