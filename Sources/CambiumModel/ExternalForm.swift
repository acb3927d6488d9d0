/// How a value that may lie in a file of its own is kept in a row: the first byte says where it is.
///
/// | first byte | then |
/// |---|---|
/// | 1 | the value itself |
/// | 2 | the name of the file, in the folder beside the store |
package enum ExternalForm {
    /// The value follows.
    package static let inline: UInt8 = 1
    /// The name of a file follows.
    package static let file: UInt8 = 2
}

extension Attribute {
    /// Whether rows hold its values in the form of ``ExternalForm``.
    package var usesExternalForm: Bool { isExternal && type == .data }
}

extension Model {
    /// The form in which a row holds a value of an attribute; nil where the value is of another
    /// type, does not fit, or is no case of the attribute's enumeration.
    package func stored(_ value: Value, of attribute: Attribute) -> StoredValue? {
        guard isCase(value, of: attribute.type) else { return nil }
        let form = stored(value, as: attribute.type)
        guard attribute.usesExternalForm, case .blob(let data) = form else { return form }
        return .blob([ExternalForm.inline] + data)
    }

    /// Whether a value is one of an enumeration's, or none, where the type is an enumeration.
    private func isCase(_ value: Value, of type: AttributeType) -> Bool {
        guard value != .null, case .enumeration(let name) = type else { return true }
        return enumeration(named: name)?.cases.contains { $0.rawValue == value } == true
    }
}

extension ExternalForm {
    /// Above this number of bytes a value goes to a file: below it SQLite reads and writes a value
    /// as fast as a file system does a file.
    package static let largestInline = 100 * 1024

    /// The folder of a store's files, beside it: where a name is a link beside the file that it
    /// leads to, as SQLite's own files, so that all names of a store have the same.
    package static func folder(ofStore path: String) -> String {
        let parts = storeFile(behind: path).split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        return "\(folder).\(parts.last ?? "").external"
    }

    /// The file that a path leads to through links. SQLite keeps its log and its journal beside that
    /// one, and not beside the links.
    package static func storeFile(behind path: String) -> String {
        var path = path
        // More of them than that, and the system gives up too.
        for _ in 0..<32 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            else { break }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            path =
                target.hasPrefix("/")
                ? target : (parts.dropLast() + [target[...]]).joined(separator: "/")
        }
        return path
    }
}
