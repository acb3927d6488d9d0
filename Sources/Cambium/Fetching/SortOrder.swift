import CambiumSQL

/// One level of an order: `Product.title.ascending`, or of what is computed,
/// `Category.products.count.descending`.
///
/// Nil is less than any value, unless ``nilFirst`` or ``nilLast`` says otherwise. Texts are
/// compared by their bytes, unless the order is made with another ``TextOrder``:
///
/// ```swift
/// let request = Product.fetchRequest()
///     .sorted(by: Product.title.ascending(.natural), Product.salePrice.descending.nilFirst)
/// ```
public struct SortOrder<Entity: ManagedObject>: Sendable, Hashable {
    let value: ModelExpression
    let isDescending: Bool
    var texts = TextOrder.bytes
    var placesNilLast: Bool?
    /// The objects that what is computed names.
    var objects: [ObjectID] = []

    /// The order with what has no value at the start.
    public var nilFirst: SortOrder { placingNil(last: false) }

    /// The order with what has no value at the end.
    public var nilLast: SortOrder { placingNil(last: true) }

    private func placingNil(last: Bool) -> SortOrder {
        var order = self
        order.placesNilLast = last
        return order
    }

    var term: SortTerm {
        SortTerm(
            value, isDescending: isDescending, texts: texts, placesNilLast: placesNilLast)
    }
}

extension SortOrder: CustomStringConvertible {
    /// What is compared and the direction, such as `price descending`.
    public var description: String {
        var text = value.description
        if texts != .bytes { text += " (\(texts))" }
        if isDescending { text += " descending" }
        if let placesNilLast { text += placesNilLast ? ", nil last" : ", nil first" }
        return text
    }
}

/// What objects can be sorted by: a ``SortOrder``, or a key alone, which means its least value
/// first.
///
/// ```swift
/// let request = Product.fetchRequest().sorted(by: Product.kind, Product.price.descending)
/// ```
///
/// The library's types conform; a program has no need to.
public protocol SortOrdering<Root>: ResultOrdering {
    /// The order.
    var sortOrder: SortOrder<Root> { get }
}

extension SortOrdering {
    /// The same order, of results.
    public var resultOrder: ResultOrder<Root> { ResultOrder(sortOrder) }
}

extension SortOrder: SortOrdering {
    /// The class of the objects that are sorted.
    public typealias Root = Entity

    /// Itself.
    public var sortOrder: SortOrder { self }
}

extension Key: SortOrdering {
    /// The least value first.
    public var sortOrder: SortOrder<Root> { ascending }
}

extension ComputedKey: SortOrdering {
    /// The least value first.
    public var sortOrder: SortOrder<Root> { ascending }
}

extension KeyExpression {
    /// The same key with the least value first, for ``FetchRequest/sorted(by:)``.
    public var ascending: SortOrder<Root> { ordered(isDescending: false) }

    /// The same key with the greatest value first, for ``FetchRequest/sorted(by:)``.
    public var descending: SortOrder<Root> { ordered(isDescending: true) }

    fileprivate func ordered(
        isDescending: Bool, _ texts: TextOrder = .bytes
    ) -> SortOrder<Root> {
        SortOrder(
            value: expression, isDescending: isDescending, texts: texts, objects: objects)
    }
}

extension KeyExpression where Value == String {
    /// The same key with the least text first, compared in a way of its own.
    public func ascending(_ texts: TextOrder) -> SortOrder<Root> {
        ordered(isDescending: false, texts)
    }

    /// The same key with the greatest text first, compared in a way of its own.
    public func descending(_ texts: TextOrder) -> SortOrder<Root> {
        ordered(isDescending: true, texts)
    }
}
