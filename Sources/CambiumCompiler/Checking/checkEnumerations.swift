import CambiumModel

extension ModelChecker {
    /// Makes the model's enumerations.
    func checkEnumerations() {
        for element in parsed.root.children(named: "enum") {
            guard let name = element["name"],
                checkName(name, isTaken: ReservedNames.types, of: "a type"),
                takeTypeName(name, of: "enumeration", hasKeys: false)
            else { continue }
            guard let rawType = rawType(of: element) else {
                brokenNames.insert(name.value)
                continue
            }
            let cases = checkCases(of: element, rawType)
            if element.children(named: "case").isEmpty {
                report(
                    .emptyEnumeration, "The enumeration '\(name.value)' has no case",
                    at: element.offset)
            }
            let enumeration = Enumeration(name: name.value, rawType: rawType, cases: cases)
            enumerations.append(enumeration)
            enumerationsByName[name.value] = enumeration
        }
    }

    private func rawType(of element: ParsedElement) -> AttributeType? {
        guard let type = element["type"] else { return .string }
        let possible: [String: AttributeType] = [
            "string": .string, "int16": .int16, "int32": .int32, "int64": .int64,
        ]
        if let rawType = possible[type.value] { return rawType }
        report(
            .unknownType, "'\(type.value)' is no type for an enumeration's raw values", at: type,
            notes: ["Possible are: string, int16, int32, int64"])
        return nil
    }

    private func checkCases(
        of element: ParsedElement, _ rawType: AttributeType
    ) -> [EnumerationCase] {
        var seen: [String: String] = [:]
        var rawValues: Set<Value> = []
        var cases: [EnumerationCase] = []
        for item in element.children(named: "case") {
            guard let name = item["name"],
                checkName(name, isTaken: ReservedNames.enumerationMembers, of: "a member"),
                checkDuplicate(name, among: &seen, "a case", isCaseSensitive: true),
                let rawValue = rawValue(of: item, named: name.value, rawType, after: cases.last)
            else { continue }
            if !rawValues.insert(rawValue).inserted {
                report(
                    .duplicateRawValue,
                    "Another case of the enumeration has the same raw value", at: item.offset)
            }
            cases.append(EnumerationCase(name: name.value, rawValue: rawValue))
        }
        return cases
    }

    /// The written value; else the name, or for numbers one more than the case before, as in Swift.
    private func rawValue(
        of item: ParsedElement, named name: String, _ rawType: AttributeType,
        after last: EnumerationCase?
    ) -> Value? {
        if let written = item["value"] {
            switch Literal.parse(written.value, as: rawType, wording: wording) {
            case .success(let value): return value
            case .failure(let problem):
                report(.wrongDefault, problem.message, at: written, notes: problem.notes)
                return nil
            }
        }
        if rawType == .string { return .string(name) }
        guard case .int(let number)? = last?.rawValue else { return .int(0) }
        guard number < Int64.max, Literal.fits(number + 1, rawType) else {
            report(
                .wrongDefault, "The raw value after \(number) does not fit", at: item.offset)
            return nil
        }
        return .int(number + 1)
    }
}
