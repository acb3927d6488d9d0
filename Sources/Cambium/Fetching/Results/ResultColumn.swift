/// What a column of results is computed from: a key such as `Product.price`, a to-one relationship,
/// something computed such as `Product.price * 2`, or an aggregate such as `Product.price.sum`.
///
/// ``FetchRequest/select(_:)`` takes them. The library's types conform; a program has no need to.
public protocol ResultColumn<Root, Output>: Sendable {
    /// The class of the objects that it is computed from.
    associatedtype Root: ManagedObject
    /// The type that a row of results has it in.
    associatedtype Output
    /// What is computed.
    var resultExpression: ResultExpression { get }
    /// The objects that it names, of which a request makes sure that they are of its stores.
    var objects: [ObjectID] { get }
    /// The value in its own type.
    ///
    /// - Throws: ``StoreError`` where the store has a value that the type has not.
    func output(of value: PropertyValue) throws -> Output
}

extension Key: ResultColumn {
    /// The attribute.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// The value; nil where there is none.
    public func output(of value: PropertyValue) throws -> Value? {
        try Value.read(value, of: resultExpression)
    }
}

extension ComputedKey: ResultColumn {
    /// What is computed.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// The value; nil where there is none.
    public func output(of value: PropertyValue) throws -> Value? {
        try Value.read(value, of: resultExpression)
    }
}

extension ToOneKey: ResultColumn {
    /// The relationship.
    public var resultExpression: ResultExpression { ResultExpression(expression) }

    /// None: a path names no object.
    public var objects: [ObjectID] { [] }

    /// The identity of the object that it leads to; nil where there is none.
    public func output(of value: PropertyValue) throws -> ObjectID? {
        if case .toOne(let id) = value { id } else { nil }
    }
}

/// A column that every result has a value in, see ``KeyExpression/required``.
public struct RequiredColumn<Base: KeyExpression>: ResultColumn {
    /// The class of the objects that it is computed from.
    public typealias Root = Base.Root

    let base: Base

    /// What is computed.
    public var resultExpression: ResultExpression { ResultExpression(base.expression) }

    /// The objects that it names.
    public var objects: [ObjectID] { base.objects }

    /// The value.
    ///
    /// - Throws: ``StoreError`` with `invalidRequest` where there is none.
    public func output(of value: PropertyValue) throws -> Base.Value {
        if let value = try Base.Value.read(value, of: resultExpression) { return value }
        throw StoreError(
            code: .invalidRequest,
            message: "\(resultExpression) has no value in one of the results, though the request "
                + "says that it is required. Select it without .required, or with ?? and a value.")
    }
}

extension KeyExpression {
    /// The value as a column that is not optional: of an attribute that is required. A fetch throws
    /// where it meets nil after all; `Product.title ?? ""` puts something in its place instead.
    public var required: RequiredColumn<Self> { RequiredColumn(base: self) }
}

extension AttributeValue {
    /// A result's value in its own type; nil of nil.
    static func read(_ cell: PropertyValue, of column: ResultExpression) throws -> Self? {
        guard let value = cell.value, value != .null else { return nil }
        if let typed = Self(attributeValue: value) { return typed }
        for form in value.otherForms {
            if let typed = Self(attributeValue: form) { return typed }
        }
        throw StoreError(
            code: .corrupt,
            message: "The store has a value for \(column) that is none of \(Self.self). Another "
                + "version of the program may have written it.")
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
