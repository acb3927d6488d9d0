/// A column of results: a key such as `Product.price`, a to-one relationship, a computed value such
/// as `Product.price * 2`, or an aggregate such as `Product.price.sum`.
///
/// ``FetchRequest/select(_:)`` takes columns. The library's types conform; a program does not need
/// to.
public protocol ResultColumn<Root, Output>: Sendable {
    /// The class of the objects that the column is computed from.
    associatedtype Root: ManagedObject
    /// The type of the column in a row of results.
    associatedtype Output
    /// The expression of the column, for ``FetchRequest/dictionaries(_:)-(String...)``.
    var resultExpression: ResultExpression { get }
    /// The reading of the value from a row.
    var reading: ColumnReading<Output> { get }
}

/// The reading of a value from a row of results. For implementations of ``ResultColumn``; programs
/// do not use it.
public struct ColumnReading<Output>: Sendable {
    /// The objects that the column names. A request checks that they belong to its stores.
    var objects: [ObjectID] = []
    /// Returns the value in its own type. Throws ``StoreError`` if the value has another type.
    let output: @Sendable (PropertyValue) throws -> Output
}

extension Key: ResultColumn {
    /// The attribute.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// The value, or nil.
    public var reading: ColumnReading<Value?> { .optional(resultExpression, objects) }
}

extension ComputedKey: ResultColumn {
    /// The expression.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// The value, or nil.
    public var reading: ColumnReading<Value?> { .optional(resultExpression, objects) }
}

extension ToOneKey: ResultColumn {
    /// The relationship.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// The identity of the referenced object, or nil.
    public var reading: ColumnReading<ObjectID?> {
        ColumnReading { value in if case .toOne(let id) = value { id } else { nil } }
    }
}

/// A column that has a value in every result, see ``KeyExpression/required``.
public struct RequiredColumn<Base: KeyExpression>: ResultColumn {
    /// The class of the objects that the column is computed from.
    public typealias Root = Base.Root

    let base: Base

    /// The expression.
    public var resultExpression: ResultExpression { ResultExpression(base.expression) }

    /// The value. If it is nil, the fetch throws.
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
    /// The value as a non-optional column, for required attributes. If a result has nil
    /// nevertheless, the fetch throws ``StoreError`` with `invalidRequest`. To replace nil instead,
    /// write `Product.title ?? ""`.
    public var required: RequiredColumn<Self> { RequiredColumn(base: self) }
}

extension ColumnReading {
    /// Returns a reading of the value in its own type, or nil.
    static func optional<Value: AttributeValue>(
        _ column: ResultExpression, _ objects: [ObjectID]
    ) -> ColumnReading where Output == Value? {
        ColumnReading(objects: objects) { try Value.read($0, of: column) }
    }
}

extension AttributeValue {
    /// Returns a result's value in its own type, or nil.
    static func read(_ cell: PropertyValue, of column: ResultExpression) throws -> Self? {
        guard let value = cell.value, value != .null else { return nil }
        if let typed = fitting(value) { return typed }
        throw StoreError(
            code: .corrupt,
            message: "The store has a value for \(column) that is not of the type \(Self.self).",
            remedy: "Set another value; another version of the program may have written this one.")
    }

    /// Returns a value in its own type, or nil if it does not fit. A number is converted from
    /// another form.
    static func fitting(_ value: CambiumModel.Value) -> Self? {
        if let typed = Self(attributeValue: value) { return typed }
        for form in value.otherForms {
            if let typed = Self(attributeValue: form) { return typed }
        }
        return nil
    }
}

extension CambiumModel.Value {
    /// The number in the forms of other types. A quotient of decimals and a mean of integers are
    /// floating-point numbers.
    fileprivate var otherForms: [CambiumModel.Value] {
        switch self {
        case .int(let value): [.double(Double(value)), .decimal(Decimal(value))]
        case .double(let value) where value.isFinite: [.decimal(Decimal(value))]
        case .decimal(let value): [.double(DecimalFunctions.double(value))]
        default: []
        }
    }
}

/// The identity of the object itself, for conditions and as a column of results: `Product.objectID
/// == id`, `request.select(Product.objectID, Product.title)`.
///
/// ## Topics
///
/// ### Conditions
///
/// - ``==(_:_:)-(_,ObjectID)``
/// - ``!=(_:_:)-(_,ObjectID)``
/// - ``in(_:)-(Sequence<ObjectID>)``
/// - ``==(_:_:)-(_,Root)``
/// - ``!=(_:_:)-(_,Root)``
/// - ``in(_:)-(Sequence<Root>)``
/// - ``==(_:_:)-(_,ToOneKey<Root,Other>)``
/// - ``!=(_:_:)-(_,ToOneKey<Root,Other>)``
///
/// ### Results
///
/// - ``count``
/// - ``resultExpression``
/// - ``reading``
public struct ObjectIDKey<Root: ManagedObject>: ResultColumn {
    /// The object.
    public var resultExpression: ResultExpression {
        ResultExpression(.keyPath(root: .subject, names: []))
    }

    /// The identity. If it is missing, the fetch throws; only another program's change of the store
    /// can cause that.
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

    /// The number of objects.
    public var count: CountKey<Root> { CountKey(.keyPath(root: .subject, names: [])) }
}

extension EntityKeys {
    /// The identity, for conditions and as a column of results: `Product.objectID.in(ids)`,
    /// `request.select(Product.objectID, Product.title)`.
    public static var objectID: ObjectIDKey<Self> { ObjectIDKey() }
}

/// A value computed from all objects of a group, or from all objects that a request finds:
/// `Product.price.sum`. See ``FetchRequest/select(_:)``.
public struct AggregateKey<Root: ManagedObject, Value: AttributeValue>: AggregateColumn {
    /// The type of the value.
    public typealias Compared = Value

    /// The expression.
    public let resultExpression: ResultExpression
    private let objects: [ObjectID]

    fileprivate init(_ function: AggregateFunction, _ key: some KeyExpression) {
        resultExpression = ResultExpression(function, of: key.expression)
        objects = key.objects
    }

    /// The value; nil if there are no values, or if a sum overflows.
    public var reading: ColumnReading<Value?> { .optional(resultExpression, objects) }
}

/// The number of objects in a group: `Product.objectID.count`, or the number that have a value:
/// `Product.salePrice.count`.
public struct CountKey<Root: ManagedObject>: AggregateColumn {
    /// A number.
    public typealias Compared = Int

    /// The counted expression.
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
    /// The number of objects that have a value.
    public var count: CountKey<Root> { CountKey(expression, objects: objects) }
}

extension KeyExpression where Value: Comparable {
    /// The least value, or nil if there are none.
    public var min: AggregateKey<Root, Value> { AggregateKey(.minimum, self) }
    /// The greatest value, or nil if there are none.
    public var max: AggregateKey<Root, Value> { AggregateKey(.maximum, self) }
}

extension KeyExpression where Value: AdditiveAttribute {
    /// The sum; 0 if there are no values, nil if it overflows. For floating-point numbers, the last
    /// digits depend on the order in which the store adds them: two sums of n values differ by at
    /// most n × 2⁻⁵² × the sum of the absolute values.
    public var sum: AggregateKey<Root, Value.Sum> { AggregateKey(.sum, self) }
    /// The mean (of durations in seconds), or nil if there are no values.
    public var average: AggregateKey<Root, Double> { AggregateKey(.average, self) }
}

/// A value computed from many objects: an ``AggregateKey`` or a ``CountKey``. Both can be compared
/// with constants, for ``ResultRequest/having(_:)``, and sorted by.
///
/// ## Topics
///
/// ### Conditions on groups
///
/// - ``==(_:_:)``
/// - ``!=(_:_:)``
/// - ``<(_:_:)``
/// - ``<=(_:_:)``
/// - ``>(_:_:)``
/// - ``>=(_:_:)``
///
/// ### Orders
///
/// - ``ascending``
/// - ``descending``
///
/// ### Constants
///
/// - ``Compared``
public protocol AggregateColumn<Root, Compared>: ResultColumn, ResultOrdering {
    /// The type of the constants that it is compared with.
    associatedtype Compared: AttributeValue
}

extension AggregateColumn {
    /// The order of results with the least value first.
    public var ascending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: false, objects: reading.objects)
    }

    /// The order of results with the greatest value first.
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

    /// Returns the condition that the column is not equal to a value.
    public static func != (column: Self, value: Compared?) -> GroupCondition<Root> {
        column.compared(.notEqual, value)
    }

    /// Returns the condition that the column is less than a value. It is false for nil.
    public static func < (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.less, value)
    }

    /// Returns the condition that the column is at most a value. It is false for nil.
    public static func <= (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.lessOrEqual, value)
    }

    /// Greater than the value. False for nil.
    public static func > (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.greater, value)
    }

    /// Returns the condition that the column is at least a value. It is false for nil.
    public static func >= (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.greaterOrEqual, value)
    }
}

/// A condition on groups of objects: `Product.price.sum > 100 && Product.objectID.count >= 3`.
///
/// ``ResultRequest/having(_:)`` takes it. A condition on single objects belongs in the request's
/// filter, which is applied before the grouping.
public struct GroupCondition<Root: ManagedObject>: Sendable {
    let test: GroupTest
    let objects: [ObjectID]

    /// Returns a condition that is true if both conditions are true.
    public static func && (one: GroupCondition, other: GroupCondition) -> GroupCondition {
        GroupCondition(test: .and([one.test, other.test]), objects: one.objects + other.objects)
    }

    /// Returns a condition that is true if at least one of the conditions is true.
    public static func || (one: GroupCondition, other: GroupCondition) -> GroupCondition {
        GroupCondition(test: .or([one.test, other.test]), objects: one.objects + other.objects)
    }

    /// The condition is false.
    public static prefix func ! (condition: GroupCondition) -> GroupCondition {
        GroupCondition(test: .not(condition.test), objects: condition.objects)
    }
}
