import CambiumRecords

/// Makes closures of conditions.
struct ConditionClosures {
    let model: ModelDescription

    func test(_ expression: TypedExpression) -> ObjectTest {
        switch expression {
        case .and(let operands):
            return conjunction(operands.map(test))
        case .or(let operands):
            return disjunction(operands.map(test))
        case .not(let operand):
            let test = test(operand)
            return ObjectTest { try !test($0, $1) }
        case .comparison(let left, let relation, let right):
            return comparison(left, relation, right) ?? evaluated(expression)
        case .text(let left, let relation, .literal(.string(let text), _), []):
            return self.text(left, relation, text) ?? evaluated(expression)
        case .among(let operand, let constants):
            return among(operand, constants) ?? evaluated(expression)
        default:
            return evaluated(expression)
        }
    }

    /// What has no closure of its own.
    private func evaluated(_ expression: TypedExpression) -> ObjectTest {
        let evaluator = ExpressionEvaluator(expression)
        return ObjectTest { object, _ in try evaluator.isTrue(ObjectSubject(object)) }
    }

    private func conjunction(_ tests: [ObjectTest]) -> ObjectTest {
        switch tests.count {
        case 1: return tests[0]
        case 2:
            let (first, second) = (tests[0], tests[1])
            return ObjectTest { try first($0, $1) && second($0, $1) }
        default:
            return ObjectTest { object, context in try tests.allSatisfy { try $0(object, context) }
            }
        }
    }

    private func disjunction(_ tests: [ObjectTest]) -> ObjectTest {
        switch tests.count {
        case 1: return tests[0]
        case 2:
            let (first, second) = (tests[0], tests[1])
            return ObjectTest { try first($0, $1) || second($0, $1) }
        default:
            return ObjectTest { object, context in try tests.contains { try $0(object, context) } }
        }
    }

    // MARK: Comparisons

    private func comparison(
        _ left: TypedExpression, _ relation: ComparisonOperator, _ right: TypedExpression
    ) -> ObjectTest? {
        if case .literal(let value, _) = right {
            return SlotReader(left, model).flatMap { comparison($0, relation, value) }
        }
        if case .literal(let value, _) = left {
            return SlotReader(right, model).flatMap { comparison($0, relation.mirrored, value) }
        }
        guard let one = SlotReader(left, model), let other = SlotReader(right, model),
            one.attribute.type == other.attribute.type, one.path.isEmpty, other.path.isEmpty
        else { return nil }
        let (first, second) = (one.slot, other.slot)
        switch one.kind {
        case .integer:
            return one.test { object, record in
                if object.notesReads { object.noteRead(of: second) }
                return Self.holds(
                    record.hasValue(first) ? record.integer(first) : nil, relation,
                    record.hasValue(second) ? record.integer(second) : nil)
            }
        case .real:
            return one.test { object, record in
                if object.notesReads { object.noteRead(of: second) }
                return Self.holds(
                    record.number(first), relation, record.number(second))
            }
        case .text, .bytes:
            return nil
        }
    }

    private func comparison(
        _ reader: SlotReader, _ relation: ComparisonOperator, _ value: Value
    ) -> ObjectTest? {
        let slot = reader.slot
        if value == .null {
            let isReal = reader.kind == .real
            switch relation {
            case .equal:
                return reader.test(missing: true) { _, record in
                    !record.hasValue(slot) || (isReal && record.real(slot).isNaN)
                }
            case .notEqual:
                return reader.test { _, record in
                    record.hasValue(slot) && !(isReal && record.real(slot).isNaN)
                }
            default: return ObjectTest { _, _ in false }
            }
        }
        guard let stored = model.model.stored(value, as: reader.attribute.type) else { return nil }
        let ofNil = relation == .notEqual
        let isEquality = relation == .equal || relation == .notEqual
        switch (reader.kind, stored) {
        case (.integer, .integer(let constant)):
            return reader.test(missing: ofNil) { _, record in
                guard record.hasValue(slot) else { return ofNil }
                return Self.holds(record.integer(slot), relation, constant)
            }
        case (.real, .real(let constant)):
            return reader.test(missing: ofNil) { _, record in
                guard let number = record.number(slot) else { return ofNil }
                return Self.holds(number, relation, constant)
            }
        case (.text, .text(let text)) where isEquality:
            return equality(reader, Array(text.utf8), wanted: relation == .equal)
        case (.text, .text(let text)):
            let constant = Array(text.utf8)
            return reader.test(missing: ofNil) { _, record in
                guard record.hasValue(slot) else { return ofNil }
                return Self.holds(record.bytes(slot), relation, constant)
            }
        case (.bytes, .blob(let data)) where isEquality:
            return equality(reader, Array(data), wanted: relation == .equal)
        default:
            return nil
        }
    }

    /// Whether the bytes are these, which nil never is.
    private func equality(_ reader: SlotReader, _ bytes: [UInt8], wanted: Bool) -> ObjectTest {
        let slot = reader.slot
        return reader.test(missing: !wanted) { _, record in
            (record.hasValue(slot) && record.holds(bytes, slot)) == wanted
        }
    }

    private func among(_ operand: TypedExpression, _ constants: ValueSet) -> ObjectTest? {
        guard let reader = SlotReader(operand, model), reader.kind == .integer else { return nil }
        var numbers: Set<Int64> = []
        for value in constants.values {
            // What the attribute cannot hold is left to the evaluator.
            guard case .integer(let number)? = model.model.stored(value, as: reader.attribute.type)
            else { return nil }
            numbers.insert(number)
        }
        let slot = reader.slot
        return reader.test { [numbers] _, record in
            record.hasValue(slot) && numbers.contains(record.integer(slot))
        }
    }

    private func text(
        _ operand: TypedExpression, _ relation: ComparisonOperator, _ text: String
    ) -> ObjectTest? {
        guard let reader = SlotReader(operand, model), reader.kind == .text else { return nil }
        let slot = reader.slot
        let constant = Array(text.utf8)
        switch relation {
        case .beginsWith:
            return reader.test { _, record in
                record.hasValue(slot) && record.bytes(slot).starts(with: constant)
            }
        case .endsWith:
            return reader.test { _, record in
                guard record.hasValue(slot) else { return false }
                return record.bytes(slot).suffix(constant.count).elementsEqual(constant)
            }
        default:
            return nil
        }
    }

    // MARK: Relations

    @inline(__always)
    private static func holds<Number: Comparable>(
        _ left: Number, _ relation: ComparisonOperator, _ right: Number
    ) -> Bool {
        switch relation {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: false
        }
    }

    /// nil equals only nil; any other comparison with it is false.
    private static func holds<Number: Comparable>(
        _ left: Number?, _ relation: ComparisonOperator, _ right: Number?
    ) -> Bool {
        if let left, let right { return holds(left, relation, right) }
        return relation == .equal
            ? left == nil && right == nil : relation == .notEqual && (left != nil || right != nil)
    }

    /// By bytes, as strings compare.
    private static func holds(
        _ left: UnsafeRawBufferPointer, _ relation: ComparisonOperator, _ right: [UInt8]
    ) -> Bool {
        switch relation {
        case .equal: left.count == right.count && left.elementsEqual(right)
        case .notEqual: left.count != right.count || !left.elementsEqual(right)
        case .less: left.lexicographicallyPrecedes(right)
        case .lessOrEqual: !right.lexicographicallyPrecedes(left)
        case .greater: right.lexicographicallyPrecedes(left)
        case .greaterOrEqual: !left.lexicographicallyPrecedes(right)
        default: false
        }
    }
}

extension Record {
    /// The floating-point number of a slot; nil also for what is none.
    @inline(__always)
    fileprivate func number(_ slot: Int) -> Double? {
        guard hasValue(slot) else { return nil }
        let number = real(slot)
        return number.isNaN ? nil : number
    }
}
