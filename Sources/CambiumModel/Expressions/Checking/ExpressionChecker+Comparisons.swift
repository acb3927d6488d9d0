extension ExpressionChecker {
    /// Checks a comparison, under a quantifier or not.
    func comparison(_ parsed: ParsedExpression, quantifier: Quantifier?) -> Checked? {
        let (left, right): (ParsedExpression, ParsedExpression)
        var relation = ComparisonOperator.equal
        var options: ComparisonOptions = []
        switch parsed.kind {
        case .comparison(let one, let operation, let other, let chosen):
            // `{a, b} CONTAINS x` is `x IN {a, b}`.
            let isMembership = quantifier == nil && operation == .contains && isList(one)
            (left, relation, right, options) =
                isMembership ? (other, .in, one, chosen) : (one, operation, other, chosen)
        case .between(let one, let other): (left, right) = (one, other)
        default:
            return fail(
                "ANY, ALL and NONE need a comparison", at: parsed.offset,
                hint: "a condition of several is written SUBQUERY(path, $x, condition).@count > 0")
        }
        if quantifier == nil, relation == .contains, isToMany(left) {
            return membership(of: right, in: left, options, .contains, at: parsed.offset)
        }
        if relation == .in, isToMany(right), quantifier == nil {
            return membership(of: left, in: right, options, .in, at: parsed.offset)
        }
        if case .comparison = parsed.kind, relation != .in, quantifier == nil,
            left.isChoiceOfConstants, !right.isChoiceOfConstants
        {
            return choice(left, relation, right, options, at: parsed.offset)
        }
        let outer = capture
        capture = quantifier == nil ? .forbidden : .open([], maximum: Self.maximumCollections)
        defer { capture = outer }
        let operand = self.operand(left)
        let captured = capture
        capture = .forbidden
        guard let operand else {
            checkAlone(right)
            return nil
        }
        let checked: Checked? =
            if case .between = parsed.kind {
                between(operand, right, at: parsed.offset)
            } else if relation == .in {
                among(operand, right, options, at: parsed.offset)
            } else {
                self.operand(right, against: operand).flatMap {
                    relate(operand, relation, $0, options, at: parsed.offset)
                }
            }
        guard let quantifier, let checked else { return checked }
        guard case .open(let collections, _) = captured, !collections.isEmpty else {
            return fail(
                "\(quantifier.rawValue) needs a path through a to-many relationship at its left",
                at: left.offset)
        }
        return quantified(quantifier, checked, over: collections)
    }

    /// Returns whether an expression is a list, or a parameter that is declared as a list.
    private func isList(_ parsed: ParsedExpression) -> Bool {
        switch parsed.kind {
        case .list: true
        case .path(.variable(let name), let names):
            names.isEmpty && variables[name] == nil
                && parameters.contains { $0.name == name && $0.isList }
        default: false
        }
    }

    private func quantified(
        _ quantifier: Quantifier, _ checked: Checked, over collections: [TypedCollection]
    ) -> Checked {
        let exists = exists(
            quantifier == .all ? .not(checked.typed) : checked.typed, in: collections)
        return Checked(
            source: .quantified(quantifier, checked.source),
            typed: quantifier == .any ? exists : .not(exists), offset: checked.offset)
    }

    /// Returns whether an element of the last collection meets a condition. Each collection starts
    /// at an element of the collection before it.
    private func exists(
        _ condition: TypedExpression, in collections: [TypedCollection]
    ) -> TypedExpression {
        collections.reversed().reduce(condition) { condition, collection in
            .exists(collection.filtered(by: condition))
        }
    }

    /// `object IN path` and `path CONTAINS object`.
    private func membership(
        of operand: ParsedExpression, in path: ParsedExpression, _ options: ComparisonOptions,
        _ relation: ComparisonOperator, at offset: Int
    ) -> Checked? {
        let member = check(operand)
        let found = collections(path, maximum: Self.maximumCollections)
        guard let (element, collections) = found, let member,
            let test = relate(element, .equal, member, options, at: offset),
            case .comparison(_, _, let source, _) = test.source
        else { return nil }
        return Checked(
            source: relation == .in
                ? .comparison(source, .in, element.source, options)
                : .comparison(element.source, .contains, source, options),
            typed: exists(test.typed, in: collections), offset: offset)
    }

    private func between(
        _ operand: Checked, _ right: ParsedExpression, at offset: Int
    ) -> Checked? {
        if let list = listParameter(right, for: operand) {
            guard operand.type.isOrdered else {
                return fail(
                    "\(operand.type.description) has no order and cannot be used with BETWEEN",
                    at: operand.offset)
            }
            return Checked(
                source: .between(operand.source, lower: list.source, upper: list.source),
                typed: .amongList(operand.typed, list.name), offset: offset)
        }
        guard case .list(let bounds) = right.kind, bounds.count == 2 else {
            return fail(
                "BETWEEN needs a list of two values", at: right.offset, hint: "write {1, 10}")
        }
        let ends = bounds.map { check($0) }
        guard let lower = ends[0], let upper = ends[1],
            let from = relate(operand, .greaterOrEqual, lower, [], at: offset),
            let to = relate(operand, .lessOrEqual, upper, [], at: offset),
            case .comparison(let source, _, let least, _) = from.source,
            case .comparison(_, _, let greatest, _) = to.source
        else { return nil }
        return Checked(
            source: .between(source, lower: least, upper: greatest),
            typed: .and([from.typed, to.typed]), offset: offset)
    }

    private func among(
        _ operand: Checked, _ right: ParsedExpression, _ options: ComparisonOptions, at offset: Int
    ) -> Checked? {
        if let list = listParameter(right, for: operand) {
            return Checked(
                source: .comparison(operand.source, .in, list.source, options),
                typed: .amongList(operand.typed, list.name), offset: offset)
        }
        guard case .list(let elements) = right.kind else {
            return within(operand, right, options, at: offset)
        }
        var sources: [ModelExpression] = []
        var constants: [Value] = []
        var others: [TypedExpression] = []
        var source = operand.source
        var common: TypedExpression?
        var isWrong = false
        for element in elements {
            guard let checked = check(element),
                let test = relate(operand, .equal, checked, options, at: element.offset),
                case .comparison(let one, _, let other, _) = test.source
            else {
                isWrong = true
                continue
            }
            source = one
            sources.append(other)
            if case .comparison(let left, .equal, .literal(let value, let type)) = test.typed,
                value != .null, type.isKept(in: left.type), operand.flexible == nil
            {
                common = left
                constants.append(value)
            } else {
                others.append(test.typed)
            }
        }
        guard !isWrong else { return nil }
        if let common { others.append(.among(common, ValueSet(constants))) }
        return Checked(
            source: .comparison(source, .in, .list(sources), options),
            typed: others.count == 1 ? others[0] : .or(others), offset: offset)
    }

    /// Checks `x IN y` with a single value y. If y is a string, the test is whether it contains x,
    /// as in Core Data. Otherwise, the test is whether x equals y, because `x IN %@` with one value
    /// is as common as with a list.
    private func within(
        _ operand: Checked, _ right: ParsedExpression, _ options: ComparisonOptions, at offset: Int
    ) -> Checked? {
        guard let whole = check(right) else { return nil }
        if whole.type == .string, operand.type == .string || operand.flexible != nil {
            return relate(whole, .contains, operand, options, at: offset)
        }
        guard right.isArgument else {
            return fail(
                "IN needs a list, a to-many path or a string at its right", at: right.offset,
                hint: "write {a, b}")
        }
        return relate(operand, .equal, whole, options, at: offset)
    }

    /// Checks one operand against another. The result's source is always a `.comparison`.
    func relate(
        _ left: Checked, _ relation: ComparisonOperator, _ right: Checked,
        _ options: ComparisonOptions, at offset: Int
    ) -> Checked? {
        if left.opaque != nil || right.opaque != nil {
            return relateOpaque(left, relation, right, at: offset)
        }
        guard let (one, other) = unify(left, right) else { return nil }
        let typed: TypedExpression
        switch relation {
        case .beginsWith, .endsWith, .contains, .like, .matches:
            guard requireStrings(one, other, for: relation.rawValue) else { return nil }
            guard relation != .matches || isPattern(other) else { return nil }
            guard isAllowed(relation, options, at: offset) else { return nil }
            typed = .text(one.typed, relation, other.typed, options.subtracting(.normalized))
        default:
            guard isComparable(one, other, relation) else { return nil }
            let folding = options.subtracting(.normalized)
            let types = [one.type, other.type]
            if folding.isEmpty || types.contains(where: { $0.hasNoSpelling }) {
                typed =
                    .existence(one.typed, relation, other.typed)
                    ?? .existence(other.typed, relation.mirrored, one.typed)
                    ?? .comparison(one.typed, relation, other.typed)
            } else {
                guard requireStrings(one, other, for: "an option of a comparison"),
                    isAllowed(relation, options, at: offset)
                else { return nil }
                typed =
                    relation == .notEqual
                    ? .not(.text(one.typed, .equal, other.typed, folding))
                    : .text(one.typed, relation, other.typed, folding)
            }
        }
        return Checked(
            source: .comparison(one.source, relation, other.source, options), typed: typed,
            offset: offset)
    }

    private func requireStrings(
        _ left: Checked, _ right: Checked, for what: String
    ) -> Bool {
        for side in [left, right] where side.type != .string && !side.typed.isNull {
            return refuse(
                "\(what) needs a string, not \(side.type.description)", at: side.offset)
        }
        return true
    }

    private func isPattern(_ pattern: Checked) -> Bool {
        guard case .literal(.string(let text), _) = pattern.typed else { return true }
        do throws(PatternSyntaxError) {
            _ = try RegularExpression(text)
            return true
        } catch {
            return refuse(
                "'\(text)' is not a regular expression", at: pattern.offset,
                hint: error.description)
        }
    }

    /// Returns whether values of the two types can be equal. They can if both are numbers, if the
    /// types are the same, or if both are objects of one hierarchy.
    func isSameKind(_ one: ExpressionType, _ other: ExpressionType) -> Bool {
        if case .object(let first) = one, case .object(let second) = other {
            return model.entity(named: first).map { model.root(of: $0).name }
                == model.entity(named: second).map { model.root(of: $0).name }
        }
        return one == other || (one.isNumber && other.isNumber)
    }

    /// Reports unknown names in the right side of a comparison if its left side is invalid. Checks
    /// that depend on the left side are skipped.
    private func checkAlone(_ right: ParsedExpression) {
        switch right.kind {
        case .path(.variable(let name), let names) where names.isEmpty:
            let isList = parameters.contains { $0.name == name && $0.isList }
            if !isList { _ = operand(right) }
        case .path: _ = operand(right)
        case .list(let elements): for element in elements { checkAlone(element) }
        default: break
        }
    }

    private func isComparable(
        _ left: Checked, _ right: Checked, _ relation: ComparisonOperator
    ) -> Bool {
        let (one, other) = (left.type, right.type)
        if left.typed.isNull || right.typed.isNull { return true }
        for side in [left, right] {
            guard case .codable = side.type else { continue }
            return refuse(
                "\(side.type.description) can only be compared with nil", at: side.offset)
        }
        guard isSameKind(one, other) else {
            return refuse(
                "\(one.description) cannot be compared with \(other.description)",
                at: right.offset)
        }
        guard relation == .equal || relation == .notEqual || one.isOrdered else {
            return refuse(
                "\(one.description) has no order and cannot be used with '\(relation.rawValue)'",
                at: left.offset)
        }
        return true
    }
}

// A conditional expression: a choice between two values.
extension ExpressionChecker {
    /// Checks a value of a type whose constants are written as constants of another type. If the
    /// value is a conditional, each of its branches is such a constant.
    func choice(_ parsed: ParsedExpression, as type: ExpressionType) -> Checked? {
        guard case .conditional(let condition, let first, let second) = parsed.kind else {
            guard let checked = check(parsed) else { return nil }
            return settle(checked, as: type)
        }
        return conditional(condition, first, second, at: parsed.offset, as: type)
    }

    /// Checks the operand that is compared with a value. If it chooses between constants, these
    /// have the type of the value.
    func operand(_ parsed: ParsedExpression, against other: Checked) -> Checked? {
        guard parsed.isChoiceOfConstants, other.opaque == nil,
            other.type.hasConstantsOfOthers
        else { return operand(parsed) }
        return choice(parsed, as: other.type)
    }

    /// Checks a comparison that has such a choice at its left.
    func choice(
        _ left: ParsedExpression, _ relation: ComparisonOperator, _ right: ParsedExpression,
        _ options: ComparisonOptions, at offset: Int
    ) -> Checked? {
        let outer = capture
        capture = .forbidden
        defer { capture = outer }
        guard let other = operand(right), let one = operand(left, against: other) else {
            return nil
        }
        return relate(one, relation, other, options, at: offset)
    }

    /// Returns the common type of two numbers of different types; nil if neither changes.
    private func commonType(_ one: ExpressionType, _ other: ExpressionType) -> ExpressionType? {
        guard one != other, one.isNumber, other.isNumber else { return nil }
        guard let first = one.scale, let second = other.scale else { return .double }
        return .decimal(scale: max(first, second))
    }

    private func branch(
        _ parsed: ParsedExpression, as type: ExpressionType?
    ) -> Checked? {
        if let type { choice(parsed, as: type) } else { check(parsed) }
    }

    func conditional(
        _ condition: ParsedExpression, _ first: ParsedExpression, _ second: ParsedExpression,
        at offset: Int, as type: ExpressionType? = nil
    ) -> Checked? {
        let test = self.condition(condition)
        let left = branch(first, as: type)
        let right = branch(second, as: type)
        guard let test, let left, let right, var (one, other) = unify(left, right) else {
            return nil
        }
        if let type = commonType(one.type, other.type) {
            one = one.converted(to: type)
            other = other.converted(to: type)
        }
        guard one.typed.isNull || other.typed.isNull || one.type == other.type else {
            return fail(
                "the two values of TERNARY are \(one.type.description) and "
                    + other.type.description, at: offset)
        }
        let isFirstNull = one.typed.isNull
        let typed: TypedExpression =
            isFirstNull
            ? .conditional(test.typed, .literal(.null, other.type), other.typed)
            : .conditional(test.typed, one.typed, other.typed)
        return Checked(
            source: .conditional(test.source, then: one.source, otherwise: other.source),
            typed: typed, offset: offset)
    }
}

extension ParsedExpression {
    /// Whether the expression is a conditional and all of its branches are literals.
    var isChoiceOfConstants: Bool {
        guard case .conditional(_, let first, let second) = kind else { return false }
        return [first, second].allSatisfy { branch in
            if case .literal = branch.kind { return true }
            return branch.isChoiceOfConstants
        }
    }
}
