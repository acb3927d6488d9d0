import CambiumModel

extension AttributeConversion {
    /// Puts other cases in the place of those that are gone, where the author says which. They are
    /// told by their old values, which need not fit.
    func replacingCases(of name: String, in oldModel: Model, _ newModel: Model) -> Self {
        func stored(_ item: String, _ model: Model) -> String? {
            let found = model.enumeration(named: name)?.cases.first { $0.name == item }
            return found.flatMap { model.stored($0.rawValue, as: .enumeration(name)) }
                .map(SQLText.literal)
        }
        let ways = (newModel.migration?.replacements ?? []).filter { $0.enumeration == name }
            .compactMap { way in
                stored(way.name, oldModel).map { gone in
                    (gone: gone, other: way.replacement.flatMap { stored($0, newModel) } ?? "NULL")
                }
            }
        guard !ways.isEmpty else { return self }
        let cases = ways.map { "WHEN \($0.gone) THEN \($0.other)" }.joined(separator: " ")
        let gone = ways.map(\.gone).joined(separator: ", ")
        func orReplaced(_ test: ((String) -> String)?) -> ((String) -> String)? {
            test.map { test in { "(\($0) IN (\(gone)) OR \(test($0)))" } }
        }
        return AttributeConversion(
            value: { "CASE \($0) \(cases) ELSE \(value($0)) END" }, fits: orReplaced(fits),
            isExact: orReplaced(isExact))
    }
}
