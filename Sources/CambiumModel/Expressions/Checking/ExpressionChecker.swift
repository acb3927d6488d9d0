/// Resolves the parts of a parsed expression in a model and reports all mistakes. A wrong part is
/// reported once; the parts that contain it report nothing more.
final class ExpressionChecker {
    /// A part that is right. It is a class to keep the checker's frames small.
    final class Checked {
        let source: ModelExpression
        let typed: TypedExpression
        let offset: Int
        /// A constant or parameter that takes its type from the other operand; otherwise nil.
        let flexible: FlexibleOperand?
        /// Set for a value that can be compared with nil only.
        let opaque: OpaqueOperand?

        init(
            source: ModelExpression, typed: TypedExpression, offset: Int,
            flexible: FlexibleOperand? = nil, opaque: OpaqueOperand? = nil
        ) {
            self.source = source
            self.typed = typed
            self.offset = offset
            self.flexible = flexible
            self.opaque = opaque
        }

        var type: ExpressionType { typed.type }

        /// The expression with a final type.
        var settled: Checked {
            flexible == nil ? self : settled(source, typed)
        }

        /// Returns a copy with another expression and a final type.
        func settled(_ source: ModelExpression, _ typed: TypedExpression) -> Checked {
            Checked(source: source, typed: typed, offset: offset, opaque: opaque)
        }

        /// A number as one of another type.
        func converted(to type: ExpressionType) -> Checked {
            Checked(
                source: source, typed: .convert(typed, type), offset: offset, flexible: flexible,
                opaque: opaque)
        }
    }

    /// The purpose of an expression. It decides which parts the expression may use.
    enum Purpose {
        /// A query, a rule: everything.
        case query
        /// A derived attribute may use stored properties, but no values that are supplied later.
        case derivation
        /// An index or its condition: columns of one row and SQLite's own functions.
        case index
        /// A fill may use the row's new and former values, and values that differ from row to row.
        case fill

        /// Whether the properties it uses have to be in the store.
        var isStored: Bool { self == .derivation || self == .index }
    }

    let model: Model
    let entity: Entity
    let parameters: [FetchParameter]
    var purpose = Purpose.query
    var allowsUndeclaredParameters = false
    /// Set while the types of parameters are found out from their use.
    var inference: ParameterInference?
    /// Names of unused parameters, as candidates for a misspelt name.
    var unusedNames: [String] = []
    /// Set in the condition of a fetched property.
    var fetchedProperty: FetchedPropertyScope?
    var diagnostics: [ExpressionDiagnostic] = []
    var variables: [String: ObjectPath] = [:]
    var capture = Capture.forbidden
    /// Whether a fraction beside an integer is exact, because an exact number is wanted.
    var wantsExact = false
    /// Whether the first part that is too deep for a statement is a mistake at its place.
    private var locatesDepth = false
    private var variableCount = 0

    /// The handling of a path through a to-many relationship.
    enum Capture {
        /// The path is an error, because the number of objects is not determined.
        case forbidden
        /// It becomes the collection of a surrounding ANY or aggregate. If there are several
        /// collections, each starts at an element of the one before.
        case open([TypedCollection], maximum: Int)
    }

    /// The maximum number of to-many relationships in a path under a quantifier.
    static let maximumCollections = 4

    init(
        entity: Entity, model: Model, parameters: [FetchParameter] = [],
        variables: [String: Entity] = [:]
    ) {
        self.entity = entity
        self.model = model
        self.parameters = parameters
        for (name, entity) in variables.ordered(by: { $0.key < $1.key }) {
            self.variables[name] = ObjectPath(root: .variable(makeVariable()), entity: entity)
        }
    }

    func makeVariable() -> Int {
        variableCount += 1
        return variableCount - 1
    }

    // MARK: Running

    @inline(never)
    func run(
        _ text: String, _ arguments: [FormatArgument]?,
        _ check: (ExpressionChecker, ParsedExpression) -> Checked?
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        do throws(ExpressionDiagnostic) {
            let parsed = try ExpressionParser.parse(text, arguments: arguments)
            let checked = located { check($0, parsed) }
            return Result { () throws(ExpressionDiagnostics) in try finish(checked).source }
        } catch {
            return .failure(ExpressionDiagnostics([error]))
        }
    }

    /// Runs a check. If the result is too deep for a statement, runs it again to find the place.
    func located(_ check: (ExpressionChecker) -> Checked?) -> Checked? {
        let checked = check(self)
        guard let checked, diagnostics.isEmpty, StatementDepth(of: checked.typed).isTooGreat else {
            return checked
        }
        locatesDepth = true
        return check(self) == nil ? nil : checked
    }

    func finish(_ checked: Checked?) throws(ExpressionDiagnostics) -> Checked {
        if let checked, diagnostics.isEmpty {
            guard StatementDepth(of: checked.typed).isTooGreat else { return checked }
            throw ExpressionDiagnostics([Self.tooDeep(at: checked.offset)])
        }
        let unexplained = ExpressionDiagnostic(offset: 0, message: "the expression has no meaning")
        throw ExpressionDiagnostics(diagnostics.isEmpty ? [unexplained] : diagnostics)
    }

    private static func tooDeep(at offset: Int) -> ExpressionDiagnostic {
        ExpressionDiagnostic(
            offset: offset, message: "the expression is too long for SQLite: it nests too deeply",
            hint: "split it, for example by a derived attribute for a part of it")
    }

    /// Reports a mistake and returns nil, so that the caller does not check the surrounding part.
    /// This function is not inlined: copied into its sixty callers, it took as much code as their
    /// checks.
    ///
    /// - Parameter lacksType: Whether the mistake is that the type of a parameter is unknown.
    @inline(never)
    func fail(
        _ message: String, at offset: Int, hint: String? = nil, lacksType: Bool = false
    ) -> Checked? {
        // A hundred mistakes are enough for a reader. A hostile text can have a million.
        if diagnostics.count < 100 {
            var mistake = ExpressionDiagnostic(offset: offset, message: message, hint: hint)
            mistake.lacksType = lacksType
            diagnostics.append(mistake)
        }
        return nil
    }

    /// Reports a mistake and returns false, so that the part with the mistake is not allowed.
    func refuse(_ message: String, at offset: Int, hint: String? = nil) -> Bool {
        fail(message, at: offset, hint: hint) != nil
    }

    // MARK: Modes

    func condition(_ parsed: ParsedExpression) -> Checked? {
        guard parsed.depth <= ModelExpression.maximumDepth else {
            return fail("the expression is too deep", at: parsed.offset)
        }
        guard var checked = check(parsed) else { return nil }
        if case .parameter = checked.flexible, let settled = settle(checked, as: .bool) {
            checked = settled
        }
        if let flexible = checked.flexible {
            if case .value(.bool) = flexible { return checked }
            return fail(
                "\(checked.type.description) is not a condition", at: checked.offset)
        }
        guard checked.type == .bool else {
            return fail(
                "\(checked.type.description) is not a condition", at: checked.offset,
                hint: "compare it with something")
        }
        switch checked.typed {
        case .attribute, .parameter, .aggregate, .conditional:
            return checked.settled(
                .comparison(checked.source, .equal, .literal(.bool(true)), []),
                .comparison(checked.typed, .equal, .literal(.bool(true), .bool)))
        default: return checked
        }
    }

    func anyValue(
        _ parsed: ParsedExpression, as type: ExpressionType? = nil
    ) -> Checked? {
        guard parsed.depth <= ModelExpression.maximumDepth else {
            return fail("the expression is too deep", at: parsed.offset)
        }
        guard let type, type.hasConstantsOfOthers else { return check(parsed) }
        return choice(parsed, as: type)
    }

    /// - Parameter isDerivation: Whether an exact number may become a floating-point one, and a
    ///   date its seconds since 2001-01-01 UTC.
    func value(
        _ parsed: ParsedExpression, as type: AttributeType, isDerivation: Bool = false
    ) -> Checked? {
        let wanted = ExpressionType(type)
        wantsExact = wanted.isExact
        defer { wantsExact = false }
        guard let checked = anyValue(parsed, as: wanted) else { return nil }
        guard let settled = settle(checked, as: wanted) else { return nil }
        if case .literal(let value, _) = settled.typed, model.stored(value, as: type) == nil {
            return fail("the value does not fit the attribute", at: settled.offset)
        }
        guard let kept = settled.fitted(to: wanted, isDerivation) else {
            return fail(
                settled.type.mismatch(with: wanted),
                at: settled.offset, hint: hint(settled.type, wanted))
        }
        return kept
    }

    /// Returns a hint on how to get the expected kind of number.
    private func hint(_ type: ExpressionType, _ wanted: ExpressionType) -> String? {
        guard wanted.isExact else { return nil }
        if type.isFloatingPoint {
            return "exact numbers result from exact ones by +, - and *; a quotient, a power or a "
                + "floating-point attribute is not exact: make the attribute a double, or compute it "
                + "in a <step>"
        }
        if case .decimal(let places) = type, case .decimal = wanted {
            return "it has up to \(places) places: give the attribute that scale"
        }
        return nil
    }

    // MARK: Parts

    /// Checks a part that has one value.
    @inline(never)
    func check(_ parsed: ParsedExpression) -> Checked? {
        guard let checked = operand(parsed) else { return nil }
        if let opaque = checked.opaque {
            return fail(opaque.mistake, at: checked.offset, hint: opaque.hint)
        }
        return checked
    }

    /// Checks a part that may be a value that can be compared with nil only.
    func operand(_ parsed: ParsedExpression) -> Checked? {
        let checked = part(parsed)
        guard locatesDepth, diagnostics.isEmpty, let checked,
            StatementDepth(of: checked.typed).isTooGreat
        else { return checked }
        diagnostics.append(Self.tooDeep(at: parsed.offset))
        return nil
    }

    private func part(_ parsed: ParsedExpression) -> Checked? {
        switch parsed.kind {
        case .refused(let reason):
            return fail(reason, at: parsed.offset)
        case .number(let digits):
            return flexible(.number(digits), at: parsed.offset)
        case .literal(let value):
            return flexible(.value(value), at: parsed.offset)
        case .object(let entity, let key):
            return Checked(
                source: .literal(.int(key)), typed: .literal(.int(key), .object(entity)),
                offset: parsed.offset)
        case .path(let root, let names):
            return path(root, names, at: parsed.offset)
        case .list:
            return fail("a list can only stand at the right of IN or BETWEEN", at: parsed.offset)
        case .and(let operands):
            guard let (sources, typed) = conditions(operands) else { return nil }
            return Checked(
                source: .and(sources), typed: .and(typed.joiningValues(of: .notEqual)),
                offset: parsed.offset)
        case .or(let operands):
            guard let (sources, typed) = conditions(operands) else { return nil }
            return Checked(
                source: .or(sources), typed: .or(typed.joiningValues(of: .equal)),
                offset: parsed.offset)
        case .not(let operand):
            guard let checked = condition(operand) else { return nil }
            return Checked(
                source: .not(checked.source), typed: .not(checked.typed), offset: parsed.offset)
        case .comparison, .between:
            return comparison(parsed, quantifier: nil)
        case .quantified(let quantifier, let comparison):
            return self.comparison(comparison, quantifier: quantifier)
        case .arithmetic(let left, let operation, let right):
            return arithmetic(left, operation, right, at: parsed.offset)
        case .function(let function, let operands):
            return self.function(function, operands, at: parsed.offset)
        case .aggregate(let function, let operand):
            return aggregate(function, operand, at: parsed.offset)
        case .subquery:
            return fail(
                "a SUBQUERY is not a value", at: parsed.offset,
                hint: "add .@count after it, or an aggregate of an attribute such as .@min.name")
        case .conditional(let condition, let first, let second):
            return conditional(condition, first, second, at: parsed.offset)
        }
    }

    private func conditions(
        _ operands: [ParsedExpression]
    ) -> ([ModelExpression], [TypedExpression])? {
        var sources: [ModelExpression] = []
        var typed: [TypedExpression] = []
        for operand in operands {
            guard let checked = condition(operand) else { continue }
            sources.append(checked.source)
            typed.append(checked.typed)
        }
        return sources.count == operands.count ? (sources, typed) : nil
    }
}

extension ExpressionChecker.Checked {
    /// Returns the value in the form that an attribute of a type takes. The result is nil if the
    /// attribute does not take the value.
    ///
    /// - Parameter isDerivation: Whether an exact number may become a floating-point one, and a
    ///   date its seconds since 2001-01-01 UTC.
    fileprivate func fitted(
        to wanted: ExpressionType, _ isDerivation: Bool
    ) -> ExpressionChecker.Checked? {
        let type = type
        if type == wanted || type == .null { return self }
        switch wanted {
        case .float, .double:
            if type.isFloatingPoint { return self }
            let isKept = type == .integer || isDerivation && (type == .date || type.isNumber)
            return isKept ? converted(to: .double) : nil
        case .decimal(let scale):
            guard type.isNumber, let own = type.scale, own <= scale else { return nil }
        case .anyDecimal:
            guard type.isNumber, type.scale != nil else { return nil }
        default: return nil
        }
        return converted(to: wanted)
    }
}
