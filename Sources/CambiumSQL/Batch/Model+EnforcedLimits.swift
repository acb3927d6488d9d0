import CambiumModel

extension Model {
    /// Whether the store's CHECKs hold an attribute's values to its pattern too.
    package func enforcesPattern(of attribute: Attribute) -> Bool {
        attribute.limits.pattern.map { GlobPattern(regularExpression: $0) != nil } ?? true
    }
}
