import PackagesModel

/// The data of a package in a stanza of a package list, in types.
///
/// Only the conditions for creating an object are checked here: a version exists, a size is a
/// number. The model's limits and rules check whether the values are valid.
struct PackageRecord: Sendable {
    let line: Int
    let key: PackageKey
    let source: String
    let section: String?
    let maintainer: Mailbox?
    let summary: String
    let homepage: String?
    let priority: Priority
    let isEssential: Bool
    /// The installed size in KiB.
    let installedSize: Int64
    /// In bytes.
    let downloadSize: Int64?
    let dependencies: [DependencyRecord]
}

/// The values that together identify one package.
struct PackageKey: Sendable, Hashable, Comparable {
    let name: String
    let version: String
    let architecture: String

    /// The order of the strings; it does not determine the newer version.
    static func < (one: PackageKey, other: PackageKey) -> Bool {
        (one.name, one.version, one.architecture)
            < (other.name, other.version, other.architecture)
    }
}

/// An alternative with its position: the field, the clause and the alternative.
struct DependencyRecord: Sendable, Equatable {
    let kind: DependencyKind
    let clause: Int32
    let alternative: Int32
    let content: DependencyAlternative
}

/// A name and a mail address, as in `Ann Author <ann@example.org>`.
struct Mailbox: Sendable, Hashable {
    let name: String
    let email: String
}

extension Mailbox {
    /// Splits the text. Without angle brackets, all of it is the name. Nil if it is empty.
    init?(_ text: String) {
        if let open = text.lastIndex(of: "<"), text.last == ">" {
            let name = text[..<open].trimmingSpaces
            let email = String(text[text.index(after: open)...].dropLast())
            self.init(name: name.isEmpty ? email : name, email: email)
        } else {
            self.init(name: text, email: "")
        }
        if name.isEmpty { return nil }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
