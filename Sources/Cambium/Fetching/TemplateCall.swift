/// A named request of the model with what its parameters stand for.
struct TemplateCall: Sendable {
    let name: String
    /// What generated code gives, whose types the compiler has checked; keys for objects.
    var arguments: [String: Value] = [:]
    var lists: [String: [Value]] = [:]
    /// What is given by name, and has to be checked.
    var variables: [String: FormatArgument] = [:]

    /// The template's condition with the lists in their places, and the values of the other
    /// parameters.
    ///
    /// - Throws: ``StoreError`` where a variable does not fit its parameter, or one has none.
    func resolved(
        _ template: FetchTemplate, in model: Model
    ) throws -> (condition: ModelExpression?, arguments: [String: Value]) {
        var (arguments, lists) = (arguments, lists)
        for (name, variable) in variables.sorted(by: { $0.key < $1.key }) {
            try check(variable, for: name, of: template, in: model)
            switch variable {
            case .value(let value): arguments[name] = value
            case .list(let values): lists[name] = values
            case .object(_, let key): arguments[name] = .int(key)
            case .objects(_, let keys): lists[name] = keys.map { .int($0) }
            }
        }
        for parameter in template.parameters
        where arguments[parameter.name] == nil && lists[parameter.name] == nil {
            throw invalid(
                "requires a value for \(parameter.name).", remedy: "Add one to its variables.")
        }
        let condition = template.condition?.substituting(lists.mapValues { .list($0) })
        return (condition, arguments)
    }

    private func check(
        _ variable: FormatArgument, for name: String, of template: FetchTemplate, in model: Model
    ) throws {
        guard let parameter = template.parameters.first(where: { $0.name == name }) else {
            let known = template.parameters.map(\.name)
            throw invalid(
                "has no parameter \(name).", remedy: StoreError.remedy(for: name, among: known))
        }
        func isFit(_ entityName: String?) -> Bool {
            guard let wanted = parameter.entity, let entityName else {
                return parameter.entity == entityName
            }
            let entity = model.entity(named: entityName)
            return entity.map { model.lineage(of: $0).contains { $0.name == wanted } } ?? false
        }
        let (fits, isList): (Bool, Bool) =
            switch variable {
            case .value(.null): (true, false)
            case .value: (isFit(nil), false)
            case .list(let values): (values.isEmpty || isFit(nil), true)
            case .object(let entity, _): (isFit(entity), false)
            case .objects(let entity, _): (isFit(entity), true)
            }
        guard fits, isList == parameter.isList else {
            let one = parameter.entity.map { "an object of \($0)" } ?? "a value"
            let several = parameter.entity.map { "objects of \($0)" } ?? "values"
            throw invalid(
                "has a variable \(name) of another kind.",
                remedy: "Set it to \(parameter.isList ? "a list of \(several)" : one).")
        }
    }

    private func invalid(_ message: String, remedy: String) -> StoreError {
        StoreError.invalidRequest(
            "The fetch template \(name) \(message)",
            remedy: remedy)
    }
}
