/// An expression as both lowerings, to SQL and to memory, read it: names are resolved, every
/// conversion is explicit, and all ways to speak about many objects are ``exists`` or
/// ``aggregate``.
package indirect enum TypedExpression: Sendable {
    case literal(Value, ExpressionType)
    case parameter(String, ExpressionType)
    case attribute(ObjectPath, Attribute, declarer: Entity)
    case object(ObjectPath)
    case and([TypedExpression])
    case or([TypedExpression])
    case not(TypedExpression)
    /// Only `==`, `!=` and the four orders. Both sides are numbers, or of one type, or one is nil.
    case comparison(TypedExpression, ComparisonOperator, TypedExpression)
    /// Equal to one of the constants, none of which is nil.
    case among(TypedExpression, ValueSet)
    /// In relation to a list that is supplied later. Before it is evaluated or becomes SQL, its
    /// values are put in place of its name.
    case amongList(TypedExpression, String)
    /// One of the operators over strings.
    case text(TypedExpression, ComparisonOperator, TypedExpression, ComparisonOptions)
    /// Whether the collection has an element.
    case exists(TypedCollection)
    /// The second is evaluated for each element; nil ones do not take part.
    case aggregate(AggregateFunction, TypedCollection, TypedExpression)
    case arithmetic(TypedExpression, ArithmeticOperator, TypedExpression, ExpressionType)
    /// A number as one of another type.
    case convert(TypedExpression, ExpressionType)
    case function(ModelFunction, [TypedExpression], ExpressionType)
    case conditional(TypedExpression, TypedExpression, TypedExpression)

    package var type: ExpressionType {
        switch self {
        case .literal(_, let type), .parameter(_, let type), .arithmetic(_, _, _, let type),
            .convert(_, let type), .function(_, _, let type):
            type
        case .attribute(_, let attribute, _): ExpressionType(attribute.type)
        case .object(let path): .object(path.entity.name)
        case .and, .or, .not, .comparison, .among, .amongList, .text, .exists: .bool
        case .conditional(_, let first, _): first.type
        case .aggregate(let function, _, let element):
            switch function {
            case .count: .integer
            case .average: element.type == .anyDecimal ? .anyDecimal : .double
            case .sum, .minimum, .maximum: element.type
            }
        }
    }

    /// Whether it is nil, whatever the object.
    package var isNull: Bool {
        if case .literal(.null, _) = self { return true }
        return false
    }

    /// A number as a floating-point one; nil for what is no number.
    var floating: TypedExpression? {
        if type.isFloatingPoint { return self }
        return type.isNumber ? .convert(self, .double) : nil
    }
}

/// The way to one object: from the subject or an element of a collection through to-ones.
package struct ObjectPath: Sendable, Hashable {
    package enum Root: Sendable, Hashable {
        case subject
        /// The element of the collection with that variable.
        case variable(Int)
    }

    package struct Step: Sendable, Hashable {
        package let relationship: Relationship
        /// The entity that the step starts from.
        package let source: Entity
    }

    package let root: Root
    package private(set) var steps: [Step] = []
    private var box: EntityBox

    /// The entity of the object that it leads to.
    package var entity: Entity { box.entity }

    init(root: Root, entity: Entity) {
        self.root = root
        box = EntityBox(entity)
    }

    func appending(_ relationship: Relationship, to destination: Entity) -> ObjectPath {
        var path = self
        path.steps.append(Step(relationship: relationship, source: entity))
        path.box = EntityBox(destination)
        return path
    }

    /// Entities are large, and the checker's recursion has to fit small stacks.
    private final class EntityBox: Sendable, Hashable {
        let entity: Entity

        init(_ entity: Entity) {
            self.entity = entity
        }

        static func == (left: EntityBox, right: EntityBox) -> Bool {
            left === right || left.entity == right.entity
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(entity.name)
        }
    }
}

/// The objects of a to-many relationship that meet a condition.
///
/// It is a class because it is large, and the checker's recursion has to fit small stacks.
package final class TypedCollection: Sendable {
    /// The object whose relationship it is.
    package let owner: ObjectPath
    package let relationship: Relationship
    package let destination: Entity
    /// What the condition calls an element.
    package let variable: Int
    package let condition: TypedExpression?

    init(
        owner: ObjectPath, relationship: Relationship, destination: Entity, variable: Int,
        condition: TypedExpression? = nil
    ) {
        self.owner = owner
        self.relationship = relationship
        self.destination = destination
        self.variable = variable
        self.condition = condition
    }

    /// Those of its objects that meet a condition.
    func filtered(by condition: TypedExpression) -> TypedCollection {
        TypedCollection(
            owner: owner, relationship: relationship, destination: destination,
            variable: variable, condition: condition)
    }
}
