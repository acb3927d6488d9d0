import CambiumRecords

/// A condition prepared for many objects: a chain of closures over the slots of their rows.
///
/// Comparisons of the object's own properties, or of properties at the end of to-one relationships,
/// read the row itself. ``ExpressionEvaluator`` evaluates all other parts. The condition belongs to
/// one isolation, as the objects do.
final class CompiledCondition {
    private let test: ObjectTest

    /// - Throws: ``ExpressionDiagnostics`` if the condition does not fit the entity, or a parameter
    ///   has no value.
    init(
        _ condition: ModelExpression, of entity: EntityDescription, in model: ModelDescription,
        parameters: [String: Value] = [:]
    ) throws {
        let typed = try ExpressionCompiler.typedCondition(
            condition, entity: entity.entity, model: model.model, parameters: parameters)
        test = ConditionClosures(model: model).test(typed)
    }

    /// Returns whether an object meets the condition, by its current values.
    ///
    /// - Parameter context: The context of the object, if the caller has it. Reading the context of
    ///   each object takes half of the time of a test.
    /// - Throws: Here and below, the error of a pattern's evaluation.
    func isTrue(
        _ object: ManagedObject, in context: ManagedObjectContext? = nil
    ) throws -> Bool {
        try test(object, context)
    }

    /// Returns the objects that meet the condition.
    func filter(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        let context = objects.first?.state.context
        return try objects.filter { try test($0, context) }
    }
}

/// A test of an object.
///
/// The closure is in a struct for speed. In an array or an optional, the compiler wraps a bare
/// closure in a second closure, and a call then takes longer than many comparisons.
struct ObjectTest {
    /// - Parameter context: The context of the object, if the caller has it.
    typealias Body = (_ object: ManagedObject, _ context: ManagedObjectContext?) throws -> Bool

    let body: Body

    @inline(__always)
    func callAsFunction(_ object: ManagedObject, _ context: ManagedObjectContext?) throws -> Bool {
        try body(object, context)
    }
}

/// The location of an attribute: a slot of an object's row, or of the row at the end of to-one
/// relationships.
///
/// Slots and relationships of an entity have the same numbers in its sub-entities.
struct SlotReader {
    /// The storage of a slot's value.
    enum Kind {
        /// Integers, and types that are stored as integers: Booleans, decimals as units.
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
    /// The ordinals of the to-one relationships from the subject to the object.
    let path: [Int]

    /// Returns nil unless the expression is an attribute of the subject that the row stores in the
    /// form of its value.
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

    /// Returns a test of the row that has the slot.
    ///
    /// - Parameter missing: The result if the path ends at no object, or at a deleted row.
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

/// Creates closures from conditions.
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

    /// Returns a test that evaluates an expression for which there is no special closure.
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

    /// Returns a test whether the slot has these bytes. Nil never equals them.
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
            // The evaluator compares with constants that the attribute cannot store.
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

    /// Compares optionals: nil equals only nil, and any other comparison with nil is false.
    private static func holds<Number: Comparable>(
        _ left: Number?, _ relation: ComparisonOperator, _ right: Number?
    ) -> Bool {
        if let left, let right { return holds(left, relation, right) }
        return relation == .equal
            ? left == nil && right == nil : relation == .notEqual && (left != nil || right != nil)
    }

    /// Compares by bytes, as strings do.
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
    /// The floating-point number in a slot, or nil if it has no value or NaN.
    @inline(__always)
    fileprivate func number(_ slot: Int) -> Double? {
        guard hasValue(slot) else { return nil }
        let number = real(slot)
        return number.isNaN ? nil : number
    }
}
