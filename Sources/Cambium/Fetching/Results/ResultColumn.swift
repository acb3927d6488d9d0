/// What a column of results is computed from: a key such as `Product.price`, a to-one relationship,
/// something computed such as `Product.price * 2`, or an aggregate such as `Product.price.sum`.
///
/// ``FetchRequest/select(_:)`` takes them. The library's types conform; a program has no need to.
public protocol ResultColumn<Root, Output>: Sendable {
    /// The class of the objects that it is computed from.
    associatedtype Root: ManagedObject
    /// The type that a row of results has it in.
    associatedtype Output
    /// What is computed, for ``FetchRequest/dictionaries(_:)-(String...)``.
    var resultExpression: ResultExpression { get }
    /// How the library reads the value out of a row.
    var reading: ColumnReading<Output> { get }
}

/// How a value is read out of a row of results. A ``ResultColumn`` says it; a program has no use for
/// it.
public struct ColumnReading<Output>: Sendable {
    /// The objects that the column names, of which a request makes sure that they are of its stores.
    var objects: [ObjectID] = []
    /// The value in its own type; throws ``StoreError`` of one that the type has not.
    let output: @Sendable (PropertyValue) throws -> Output
}

extension Key: ResultColumn {
    /// The attribute.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// The value; nil where there is none.
    public var reading: ColumnReading<Value?> { .optional(resultExpression, objects) }
}

extension ComputedKey: ResultColumn {
    /// What is computed.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// The value; nil where there is none.
    public var reading: ColumnReading<Value?> { .optional(resultExpression, objects) }
}

extension ToOneKey: ResultColumn {
    /// The relationship.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// The identity of the object that it references; nil where there is none.
    public var reading: ColumnReading<ObjectID?> {
        ColumnReading { value in if case .toOne(let id) = value { id } else { nil } }
    }
}

/// A column that every result has a value in, see ``KeyExpression/required``.
public struct RequiredColumn<Base: KeyExpression>: ResultColumn {
    /// The class of the objects that it is computed from.
    public typealias Root = Base.Root

    let base: Base

    /// What is computed.
    public var resultExpression: ResultExpression { ResultExpression(base.expression) }

    /// The value. The fetch throws where there is none.
    public var reading: ColumnReading<Base.Value> {
        let column = resultExpression
        return ColumnReading(objects: base.objects) { value in
            if let value = try Base.Value.read(value, of: column) { return value }
            throw StoreError.invalidRequest(
                "\(column) has no value in one of the results, but the request selects it "
                    + "as required.",
                remedy: "Select it without .required, or with ?? and a value.")
        }
    }
}

extension KeyExpression {
    /// The value as a column that is not optional: of an attribute that is required. A fetch throws
    /// ``StoreError`` with `invalidRequest` where it meets nil after all; `Product.title ?? ""` puts
    /// something in its place instead.
    public var required: RequiredColumn<Self> { RequiredColumn(base: self) }
}

extension ColumnReading {
    /// A value in its own type; nil where there is none.
    static func optional<Value: AttributeValue>(
        _ column: ResultExpression, _ objects: [ObjectID]
    ) -> ColumnReading where Output == Value? {
        ColumnReading(objects: objects) { try Value.read($0, of: column) }
    }
}

extension AttributeValue {
    /// A result's value in its own type; nil of nil.
    static func read(_ cell: PropertyValue, of column: ResultExpression) throws -> Self? {
        guard let value = cell.value, value != .null else { return nil }
        if let typed = fitting(value) { return typed }
        throw StoreError(
            code: .corrupt,
            message: "The store has a value for \(column) that is not of the type \(Self.self).",
            remedy: "Set another value; another version of the program may have written this one.")
    }

    /// A value in its own type, a number also from another form; nil where it is of another type.
    static func fitting(_ value: CambiumModel.Value) -> Self? {
        if let typed = Self(attributeValue: value) { return typed }
        for form in value.otherForms {
            if let typed = Self(attributeValue: form) { return typed }
        }
        return nil
    }
}

extension CambiumModel.Value {
    /// The same number in the forms of other types: a quotient of decimals is a floating-point
    /// number, the mean of whole numbers too.
    fileprivate var otherForms: [CambiumModel.Value] {
        switch self {
        case .int(let value): [.double(Double(value)), .decimal(Decimal(value))]
        case .double(let value) where value.isFinite: [.decimal(Decimal(value))]
        case .decimal(let value): [.double(DecimalFunctions.double(value))]
        default: []
        }
    }
}

/// The identity of the object itself, as conditions and columns of results name it:
/// `Product.objectID == id`, `request.select(Product.objectID, Product.title)`.
public struct ObjectIDKey<Root: ManagedObject>: ResultColumn {
    /// The object.
    public var resultExpression: ResultExpression {
        ResultExpression(.keyPath(root: .subject, names: []))
    }

    /// The identity. The fetch throws where there is none, which only another program can bring
    /// about.
    public var reading: ColumnReading<ObjectID> {
        ColumnReading { value in
            guard case .toOne(let id?) = value else {
                throw StoreError(
                    code: .corrupt, message: "A row of the store has no key.",
                    remedy: "Restore a backup: another program has changed the store.")
            }
            return id
        }
    }

    /// How many objects there are.
    public var count: CountKey<Root> { CountKey(.keyPath(root: .subject, names: [])) }
}

extension EntityKeys {
    /// The identity, for conditions and as a column of results: `Product.objectID.in(ids)`,
    /// `request.select(Product.objectID, Product.title)`.
    public static var objectID: ObjectIDKey<Self> { ObjectIDKey() }
}

/// One value out of those of all objects of a group, or of all that a request finds:
/// `Product.price.sum`. See ``FetchRequest/select(_:)``.
public struct AggregateKey<Root: ManagedObject, Value: AttributeValue>: AggregateColumn {
    /// The type of the value.
    public typealias Compared = Value

    /// What is computed.
    public let resultExpression: ResultExpression
    private let objects: [ObjectID]

    fileprivate init(_ function: AggregateFunction, _ key: some KeyExpression) {
        resultExpression = ResultExpression(function, of: key.expression)
        objects = key.objects
    }

    /// The value; nil of no values, and where a sum is too great for its type.
    public var reading: ColumnReading<Value?> { .optional(resultExpression, objects) }
}

/// How many objects of a group there are: `Product.objectID.count`, or how many have a value:
/// `Product.salePrice.count`.
public struct CountKey<Root: ManagedObject>: AggregateColumn {
    /// A number.
    public typealias Compared = Int

    /// What is counted.
    public let resultExpression: ResultExpression
    private let objects: [ObjectID]

    init(_ expression: ModelExpression, objects: [ObjectID] = []) {
        resultExpression = ResultExpression(.count, of: expression)
        self.objects = objects
    }

    /// The number.
    public var reading: ColumnReading<Int> {
        ColumnReading(objects: objects) { [resultExpression] value in
            try Int.read(value, of: resultExpression) ?? 0
        }
    }
}

extension KeyExpression {
    /// How many objects have a value.
    public var count: CountKey<Root> { CountKey(expression, objects: objects) }
}

extension KeyExpression where Value: Comparable {
    /// The least value; nil of none.
    public var min: AggregateKey<Root, Value> { AggregateKey(.minimum, self) }
    /// The greatest value; nil of none.
    public var max: AggregateKey<Root, Value> { AggregateKey(.maximum, self) }
}

extension KeyExpression where Value: AdditiveAttribute {
    /// The sum; 0 of none, nil where it is too great. Of floating-point numbers the last digits
    /// depend on the order in which the store adds them: two sums of n values differ by at most
    /// n × 2⁻⁵² × the sum of the absolute values.
    public var sum: AggregateKey<Root, Value.Sum> { AggregateKey(.sum, self) }
    /// The mean, of durations in seconds; nil of none.
    public var average: AggregateKey<Root, Double> { AggregateKey(.average, self) }
}

/// One value out of those of many objects: an ``AggregateKey`` or a ``CountKey``. Both can be
/// compared with constants, for ``ResultRequest/having(_:)``, and ordered by.
public protocol AggregateColumn<Root, Compared>: ResultColumn, ResultOrdering {
    /// The type of the constants that it is compared with.
    associatedtype Compared: AttributeValue
}

extension AggregateColumn {
    /// The results with the least value first.
    public var ascending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: false, objects: reading.objects)
    }

    /// The results with the greatest value first.
    public var descending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: true, objects: reading.objects)
    }

    /// The least value first.
    public var resultOrder: ResultOrder<Root> { ascending }

    private func compared(
        _ relation: ComparisonOperator, _ value: Compared?
    ) -> GroupCondition<Root> {
        GroupCondition(
            test: .comparison(resultExpression, relation, value?.attributeValue ?? .null),
            objects: reading.objects)
    }

    /// Equal, or both nil.
    public static func == (column: Self, value: Compared?) -> GroupCondition<Root> {
        column.compared(.equal, value)
    }

    /// The complement of equal.
    public static func != (column: Self, value: Compared?) -> GroupCondition<Root> {
        column.compared(.notEqual, value)
    }

    /// Less than the value. False of nil.
    public static func < (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.less, value)
    }

    /// At most the value. False of nil.
    public static func <= (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.lessOrEqual, value)
    }

    /// Greater than the value. False of nil.
    public static func > (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.greater, value)
    }

    /// At least the value. False of nil.
    public static func >= (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.greaterOrEqual, value)
    }
}

/// A condition over groups of objects: `Product.price.sum > 100 && Product.objectID.count >= 3`.
///
/// ``ResultRequest/having(_:)`` takes it. A condition over single objects belongs into the
/// request's filter, which comes before they are grouped.
public struct GroupCondition<Root: ManagedObject>: Sendable {
    let test: GroupTest
    let objects: [ObjectID]

    /// Both are true.
    public static func && (one: GroupCondition, other: GroupCondition) -> GroupCondition {
        GroupCondition(test: .and([one.test, other.test]), objects: one.objects + other.objects)
    }

    /// At least one is true.
    public static func || (one: GroupCondition, other: GroupCondition) -> GroupCondition {
        GroupCondition(test: .or([one.test, other.test]), objects: one.objects + other.objects)
    }

    /// The condition is false.
    public static prefix func ! (condition: GroupCondition) -> GroupCondition {
        GroupCondition(test: .not(condition.test), objects: condition.objects)
    }
}
