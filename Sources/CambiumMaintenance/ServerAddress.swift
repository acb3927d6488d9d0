import CambiumModel

/// A store on a server, as a command line names it: the URL that the server's library takes, and the name
/// of the schema behind a `#`, as in `postgresql://host/database#shop`. Without one it is `cambium`.
package struct ServerAddress: Equatable {
    /// The server and the database.
    package let url: String
    /// The name of the schema; nil where what follows the `#` is none.
    package let schema: String?
    /// What messages call the store. It has no password and no user.
    package let name: String

    /// What the URLs of servers begin with.
    private static let schemes = ["postgresql://", "postgres://"]
    private static let defaultSchema = "cambium"

    /// Reads a word of a command line; nil where it is no URL of a server.
    package init?(_ word: String) {
        guard Self.isURL(word) else { return nil }
        let parts = word.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        url = String(parts[0])
        let schema = parts.count > 1 ? Self.decoded(parts[1]) : Self.defaultSchema
        self.schema = schema?.isEmpty == false ? schema : nil
        let server = Self.withoutUser(url)
        name = self.schema.map { $0 == Self.defaultSchema ? server : "\(server)#\($0)" } ?? server
    }

    /// A part of a URL without its codes, such as `%20`; nil where it has what is none.
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

    /// The server and the database of a URL: neither a user nor a password nor what follows.
    private static func withoutUser(_ url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let rest = url[start...].prefix { $0 != "?" }
        // A password may have what should have been written as a code.
        let address = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        return url[..<start] + String(address)
    }
}
