/// What a column of results is computed from: a key such as `Product.price`, a to-one relationship,
/// something computed such as `Product.price * 2`, or an aggregate such as `Product.price.sum`.
///
/// ``FetchRequest/select(_:)`` takes them. The library's types conform; a program has no need to.
public protocol ResultColumn<Root, Output>: Sendable {
    /// The class of the objects that it is computed from.
    associatedtype Root: ManagedObject
    /// The type that a row of results has it in.
    associatedtype Output
    /// What is computed, for ``FetchRequest/dictionaries(_:)``.
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

    /// The identity of the object that it leads to; nil where there is none.
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
            throw StoreError(
                code: .invalidRequest,
                message: "\(column) has no value in one of the results, but the request selects it "
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
