/// Why no version of a model can have written a store.
public struct VersionMismatch: Sendable, Hashable {
    /// A version, and in how much it differs from the store.
    public struct Distance: Sendable, Hashable, Encodable {
        /// The version's name.
        public let version: String
        /// How many differences there are.
        public let differences: Int
    }

    /// The path of the store.
    public let store: String
    /// The model's name.
    public let model: String
    /// What the store says of the version that wrote it.
    public let identifiers: [String]
    /// The version that comes nearest: the one of the store's identifier, else the one with the
    /// fewest differences.
    public let nearest: String
    /// In what the nearest version and the store differ.
    public let differences: [String]
    /// All versions, the nearest first.
    public let versions: [Distance]
}

extension VersionMismatch: CustomStringConvertible {
    /// What does not fit, and what to do about it.
    public var description: String {
        let says = identifiers.filter { !$0.isEmpty }.joined(separator: ", ")
        let shown = differences.prefix(20).map { "\n  - \($0)" }.joined()
        let more = differences.count - 20
        return "\(store) fits no version of \(model)"
            + (says.isEmpty ? "" : "; the store says that version \(says) wrote it")
            + ". The nearest is '\(nearest)', with \(differences.count) "
            + "difference\(differences.count == 1 ? "" : "s"):" + shown
            + (more > 0 ? "\n  … and \(more) more" : "")
            + "\nAdd the version that wrote the store to the model, or name one by force "
            + "(--version): what has no column is nil then, and what has no property is left out"
    }
}
