import CambiumModel

extension AttributeConversion {
    /// The cases that are gone, where the author says which others take their place, with the SQL of
    /// both. An enumeration that has another name now goes by that.
    static func replacements(
        from old: AttributeType, in oldModel: Model, to name: String, in newModel: Model
    ) -> [(name: String, gone: String, other: String)] {
        guard case .enumeration(let former) = old,
            former == name || oldModel.enumeration(named: name) == nil
        else { return [] }
        func stored(_ item: String, of enumeration: String, _ model: Model) -> String? {
            let found = model.enumeration(named: enumeration)?.cases.first { $0.name == item }
            return found.flatMap { model.stored($0.rawValue, as: .enumeration(enumeration)) }
                .map(SQLText.literal)
        }
        return (newModel.migration?.replacements ?? []).filter { $0.enumeration == name }
            .compactMap { way in
                stored(way.name, of: former, oldModel).map { gone in
                    let other = way.replacement.flatMap { stored($0, of: name, newModel) }
                    return (way.name, gone, other ?? "NULL")
                }
            }
    }
}
