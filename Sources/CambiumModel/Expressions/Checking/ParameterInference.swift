/// Infers the types of parameters from their use, if they declare none.
struct ParameterInference {
    /// A use of a parameter beside an operand of a type.
    struct Use {
        let type: ExpressionType
        /// The attribute's type if the other operand is an attribute. It is more exact.
        let attributeType: AttributeType?
        let isList: Bool
        let offset: Int
    }

    /// The names that may be used; nil allows all.
    let names: Set<String>?
    /// The names that were used, in the order of the text.
    private(set) var order: [String] = []
    private(set) var uses: [String: [Use]] = [:]
    private var firstOffset: [String: Int] = [:]

    init(names: Set<String>?) {
        self.names = names
    }

    func allows(_ name: String) -> Bool {
        names?.contains(name) ?? true
    }

    mutating func meet(_ name: String, at offset: Int) {
        guard firstOffset.updateValue(firstOffset[name] ?? offset, forKey: name) == nil else {
            return
        }
        order.append(name)
    }

    mutating func add(_ use: Use, for name: String) {
        uses[name, default: []].append(use)
    }

    /// The parameters with the types that hold for all of their uses.
    func parameters() -> Result<[FetchParameter], ExpressionDiagnostics> {
        var found: [FetchParameter] = []
        var mistakes: [ExpressionDiagnostic] = []
        for name in order {
            do throws(ExpressionDiagnostic) {
                found.append(try parameter(name))
            } catch {
                mistakes.append(error)
            }
        }
        return mistakes.isEmpty ? .success(found) : .failure(ExpressionDiagnostics(mistakes))
    }

    private func parameter(_ name: String) throws(ExpressionDiagnostic) -> FetchParameter {
        var found: FetchParameter?
        for use in uses[name] ?? [] {
            guard let next = FetchParameter(name: name, use) else { continue }
            guard let known = found else {
                found = next
                continue
            }
            guard known.isList == next.isList else {
                throw ExpressionDiagnostic(
                    offset: use.offset,
                    message: "$\(name) is a list in one place and a single value in another")
            }
            guard let common = known.meeting(next) else {
                throw ExpressionDiagnostic(
                    offset: use.offset,
                    message: "$\(name) is \(known.expressionType.description) in one place and "
                        + "\(next.expressionType.description) here",
                    hint: "use two parameters")
            }
            found = common
        }
        guard let found else {
            throw ExpressionDiagnostic(
                offset: firstOffset[name] ?? 0, message: "cannot infer the type of $\(name)",
                hint: "compare it with an attribute, or declare its type")
        }
        return found
    }
}

extension FetchParameter {
    /// Creates the parameter for a use, or nil if the use gives no type.
    fileprivate init?(name: String, _ use: ParameterInference.Use) {
        if case .object(let entity) = use.type {
            self.init(name: name, entity: entity, isList: use.isList)
        } else if let type = use.attributeType ?? AttributeType(use.type) {
            self.init(name: name, type: type, isList: use.isList)
        } else {
            return nil
        }
    }

    /// The parameter's type in an expression.
    fileprivate var expressionType: ExpressionType {
        entity.map { .object($0) } ?? ExpressionType(type)
    }

    /// Returns a parameter for both uses, or nil if none fits both.
    fileprivate func meeting(_ other: FetchParameter) -> FetchParameter? {
        guard entity == nil, other.entity == nil else { return entity == other.entity ? self : nil }
        return type.meeting(other.type).map {
            FetchParameter(name: name, type: $0, isList: isList)
        }
    }
}

extension AttributeType {
    /// Returns the least type that contains all values of both, or nil if there is none.
    func meeting(_ other: AttributeType) -> AttributeType? {
        if self == other { return self }
        let types = [self, other].map { ExpressionType($0) }
        guard types.allSatisfy({ $0.isNumber }) else { return nil }
        if types.contains(where: { $0.isFloatingPoint }) { return .double }
        if types.contains(.anyDecimal) { return .anyDecimal }
        let scales = types.compactMap { $0.scale }
        if let greatest = scales.max(), types.contains(where: { $0 != .integer }) {
            return .decimal(scale: greatest)
        }
        return [AttributeType.int16, .int32, .int64].last { $0 == self || $0 == other }
    }
}

// MARK: Parameters in the checker

extension ExpressionChecker {
    func parameter(_ name: String, at offset: Int) -> Checked? {
        if let declared = parameters.first(where: { $0.name == name }) {
            guard !declared.isList else {
                return fail(
                    "$\(name) is a list", at: offset, hint: "a list stands at the right of IN")
            }
            return Checked(
                source: .parameter(name),
                typed: .parameter(name, declared.expressionType), offset: offset)
        }
        if inference?.allows(name) == true {
            inference?.meet(name, at: offset)
        } else if !allowsUndeclaredParameters {
            return unknownParameter(name, at: offset)
        }
        return Checked(
            source: .parameter(name), typed: .parameter(name, .null), offset: offset,
            flexible: .parameter(name))
    }

    private func unknownParameter(_ name: String, at offset: Int) -> Checked? {
        let known = parameters.map { $0.name } + variables.keys.ordered(by: <) + unusedNames
        let nearest = nearestName(to: name, among: known)
        let count = diagnostics.count
        _ = fail(
            "there is no parameter $\(name)", at: offset,
            hint: nearest.map { "did you mean $\($0)?" })
        if diagnostics.count > count { diagnostics[count].lackingParameter = name }
        return nil
    }

    func unknownType<Result>(_ name: String, at offset: Int) -> Result? {
        _ = fail("cannot infer the type of $\(name) here", at: offset, lacksType: true)
        return nil
    }

    func note(
        _ name: String, _ type: ExpressionType, of other: TypedExpression?, isList: Bool,
        at offset: Int
    ) {
        guard inference != nil else { return }
        var attributeType: AttributeType?
        if case .attribute(_, let attribute, _) = other {
            attributeType =
                AttributeType(ExpressionType(attribute.type)) == nil
                ? nil : attribute.type
        }
        inference?.add(
            .init(type: type, attributeType: attributeType, isList: isList, offset: offset),
            for: name)
    }

    /// Returns the parameter for a list, at the right of IN or BETWEEN; nil for any other
    /// expression.
    func listParameter(
        _ parsed: ParsedExpression, for operand: Checked
    ) -> (name: String, source: ModelExpression)? {
        guard case .path(.variable(let name), let names) = parsed.kind, names.isEmpty,
            variables[name] == nil, fetchedProperty == nil
        else { return nil }
        if let declared = parameters.first(where: { $0.name == name }) {
            guard declared.isList else { return nil }
            let type = declared.expressionType
            if operand.flexible == nil, !isSameKind(operand.type, type) {
                _ = fail(
                    "\(operand.type.description) cannot be compared with "
                        + type.description, at: parsed.offset)
            }
            return (name, .parameter(name))
        }
        guard allowsUndeclaredParameters || inference?.allows(name) == true else { return nil }
        inference?.meet(name, at: parsed.offset)
        if operand.flexible == nil {
            note(name, operand.type, of: operand.typed, isList: true, at: parsed.offset)
        }
        return (name, .parameter(name))
    }
}
