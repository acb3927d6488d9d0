/// Which entity of which model a class is for. Generated classes give it.
@_spi(Generated)
public struct EntityReference {
    let name: String
    let model: CompiledModel?

    /// Names an entity. Called by generated code.
    public init(_ name: String, _ model: CompiledModel) {
        self.name = name
        self.model = model
    }

    /// What a class has that was written without a model.
    init() {
        name = ""
        model = nil
    }
}
