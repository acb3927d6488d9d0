import CambiumModel

extension Enumeration {
    /// The case that objects with one of the old version have, without a word of the author.
    func heir(of item: EnumerationCase) -> EnumerationCase? {
        item.rawValue(as: rawType).flatMap { raw in cases.first { $0.rawValue == raw } }
    }
}

extension EnumerationCase {
    /// The raw value as one of another type; nil where it has no form there.
    func rawValue(as type: AttributeType) -> Value? {
        switch (rawValue, type) {
        case (.int(let number), .string): .string("\(number)")
        case (.string(let text), .int16), (.string(let text), .int32), (.string(let text), .int64):
            Int64(text).flatMap { "\($0)" == text ? .int($0) : nil }
                .flatMap { Self.fits($0, type) ? $0 : nil }
        case (.int, _): Self.fits(rawValue, type) ? rawValue : nil
        default: rawValue
        }
    }
}

extension EnumerationCase {
    private static func fits(_ value: Value, _ type: AttributeType) -> Bool {
        guard case .int(let number) = value, let range = AttributeConversion.range(of: type) else {
            return true
        }
        return range.contains(number)
    }
}

extension AttributeConversion {
    /// A case that is gone and the one in its place: its name, and the SQL of both.
    typealias CaseReplacement = (name: String, gone: String, other: String)

    /// The cases that are gone, where the author says which others take their place. An enumeration
    /// that has another name now goes by that.
    static func replacements(
        from old: AttributeType, in oldModel: Model, to name: String, in newModel: Model
    ) -> [CaseReplacement] {
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

    /// Puts other cases in the place of those that are gone. They are told by their old values,
    /// which need not fit.
    func replacing(_ ways: [CaseReplacement]) -> Self {
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
