/// What the compiler made of a model: the value `Shop.model` of generated code, which
/// ``PersistentContainer`` opens stores with.
public struct CompiledModel: Sendable {
    /// The current version of the model.
    public let model: Model
    /// The statements that make an empty store, exactly as `cambium sql` prints them.
    public let schema: [String]
    /// The steps that bring stores of earlier versions to the current one.
    public let migrations: [Migration]

    let classes: [String: ManagedObject.Type]

    /// Puts together what the compiler made. Called by generated code.
    @_spi(Generated)
    public init(
        model: Model, classes: [String: ManagedObject.Type], schema: [String],
        migrations: [Migration]
    ) {
        self.model = model
        self.classes = classes
        self.schema = schema
        self.migrations = migrations
    }
}
