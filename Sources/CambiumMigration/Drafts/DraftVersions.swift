import CambiumModel
import CambiumSQL

/// Which of the versions that a program knows have shipped, and what those are that have not.
package struct DraftVersions: Sendable {
    /// The `Model.definition` of the program's version.
    let definition: String
    /// The program's version.
    private let current: String
    /// Whether it has shipped.
    private let isFrozen: Bool
    /// The definitions of the earlier versions that have not shipped.
    private let earlier: [String: String]

    /// - Parameters:
    ///   - model: The program's version.
    ///   - isFrozen: Whether it has shipped.
    ///   - earlier: The `Model.definition` of each earlier version that has not shipped.
    package init(of model: Model, isFrozen: Bool, earlier: [String: String]) {
        definition = model.definition
        current = model.version
        self.isFrozen = isFrozen
        self.earlier = earlier
    }

    /// Whether a version has shipped.
    func isFrozen(_ version: String) -> Bool {
        version == current ? isFrozen : earlier[version] == nil
    }

    /// The program's own draft of an earlier version; nil where it has shipped.
    func draft(ofEarlier version: String) -> Model? {
        earlier[version].flatMap(Model.init(definition:))
    }
}
