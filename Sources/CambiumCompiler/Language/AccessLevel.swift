/// Who may use the Swift code that is generated from a model: the model's `access` attribute.
package enum AccessLevel: String, Sendable, Hashable, CaseIterable {
    /// The target that compiles the model. The default, and written without a modifier.
    case `internal`
    /// Every target that imports it.
    case `public`
}
