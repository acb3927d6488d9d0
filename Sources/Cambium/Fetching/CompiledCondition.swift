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
