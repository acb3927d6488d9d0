/// A version of a model, as a step of the program sees it: the namespace of the rows of its
/// entities, such as `Shop.Version1`. Generated for the versions that a step lies between.
public protocol MigrationVersion: Sendable {
    /// The version's name.
    static var versionName: String { get }
}
