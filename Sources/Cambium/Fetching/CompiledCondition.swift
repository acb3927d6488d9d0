import CambiumRecords

/// A condition made ready to be asked of many objects: a chain of closures over the slots of their
/// rows.
///
/// What compares properties of an object, or of one that to-ones reference, with constants or each
/// other reads the row itself. Everything else is left to ``ExpressionEvaluator``, part by part.
/// It belongs to one isolation, as the objects do.
final class CompiledCondition {
    private let test: ObjectTest

    /// - Throws: ``ExpressionDiagnostics`` where the condition does not fit the entity, or a
    ///   parameter has no value.
    init(
        _ condition: ModelExpression, of entity: EntityDescription, in model: ModelDescription,
        parameters: [String: Value] = [:]
    ) throws {
        let typed = try ExpressionCompiler.typedCondition(
            condition, entity: entity.entity, model: model.model, parameters: parameters)
        test = ConditionClosures(model: model).test(typed)
    }

    /// Whether an object meets the condition, by its values now.
    ///
    /// - Parameter context: That of the object, where it is at hand: to ask each object for it is
    ///   half of what it takes to look at another one.
    /// - Throws: Here and below, what the evaluation of a pattern throws.
    func isTrue(
        _ object: ManagedObject, in context: ManagedObjectContext? = nil
    ) throws -> Bool {
        try test(object, context)
    }

    /// Those of objects that meet the condition.
    func filter(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        let context = objects.first?.state.context
        return try objects.filter { try test($0, context) }
    }
}

/// A question to an object.
///
/// A struct around its closure: closures as such, in arrays and optionals, get a second one around
/// them, which takes longer than many a comparison.
struct ObjectTest {
    /// - Parameter context: That of the object, where whoever asks has it at hand.
    typealias Body = (_ object: ManagedObject, _ context: ManagedObjectContext?) throws -> Bool

    let body: Body

    @inline(__always)
    func callAsFunction(_ object: ManagedObject, _ context: ManagedObjectContext?) throws -> Bool {
        try body(object, context)
    }
}

/// The place of an attribute: a slot of an object's row, or of that of one which to-ones lead to.
///
/// Slots and relationships of an entity have the same numbers in its sub-entities.
struct SlotReader {
    /// What a slot holds.
    enum Kind {
        /// Whole numbers, and others as such: truth values, units of decimals.
        case integer
        /// Floating-point numbers and dates.
        case real
        /// Strings, URIs, enumerations of strings.
        case text
        /// UUIDs and data.
        case bytes
    }

    let attribute: Attribute
    let kind: Kind
    let slot: Int
    /// The numbers of the to-ones that reference the object.
    let path: [Int]

    /// nil where it is no attribute of the subject whose form in the row is that of its value.
    init?(_ expression: TypedExpression, _ model: ModelDescription) {
        guard case .attribute(let path, let attribute, _) = expression, path.root == .subject,
            !attribute.usesExternalForm, let owner = model[path.entity.name],
            let slot = owner.layout.slot(of: attribute.name)
        else { return nil }
        switch (attribute.type, owner.shape.kinds[slot]) {
        case (.codable, _), (.anyDecimal, _): return nil
        case (_, .integer): kind = .integer
        case (_, .real): kind = .real
        case (.uuid, _), (.data, _): kind = .bytes
        case (_, .text): kind = .text
        default: return nil
        }
        var ordinals: [Int] = []
        for step in path.steps {
            guard
                let relationship = model[step.source.name]?.relationship(
                    named: step.relationship.name)
            else { return nil }
            ordinals.append(relationship.ordinal)
        }
        self.attribute = attribute
        self.slot = slot
        self.path = ordinals
    }

    /// A test of the row that has the slot.
    ///
    /// - Parameter missing: The result where the path leads to no object, or to a deleted row.
    @inline(never)
    func test(
        missing: Bool = false, _ body: @escaping (ManagedObject, Record) -> Bool
    ) -> ObjectTest {
        let slot = slot
        let path = path
        switch path.count {
        case 0:
            return ObjectTest { object, _ in
                if object.notesReads { object.noteRead(of: slot) }
                guard let record = object.present else { return missing }
                return body(object, record)
            }
        case 1:
            let ordinal = path[0]
            return ObjectTest { object, context in
                guard let owner = object.destination(at: ordinal, in: context) else {
                    return missing
                }
                if owner.notesReads { owner.noteRead(of: slot) }
                guard let record = owner.present else { return missing }
                return body(owner, record)
            }
        default:
            return ObjectTest { object, context in
                var owner = object
                for ordinal in path {
                    guard owner.present != nil,
                        let next = owner.destination(at: ordinal, in: context)
                    else { return missing }
                    owner = next
                }
                if owner.notesReads { owner.noteRead(of: slot) }
                guard let record = owner.present else { return missing }
                return body(owner, record)
            }
        }
    }
}

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
