/// What results can be sorted by: what objects can (a ``SortOrdering``), an aggregate, or an order
/// of one. A key or an aggregate alone means its least value first.
public protocol ResultOrdering<Root>: Sendable {
    /// The class of the objects that results are computed from.
    associatedtype Root: ManagedObject
    /// The order.
    var resultOrder: ResultOrder<Root> { get }
}

/// One level of an order of results: `Product.price.sum.descending`.
public struct ResultOrder<Root: ManagedObject>: ResultOrdering {
    let term: ResultQuery.Term
    /// The objects that what is compared names.
    let objects: [ObjectID]

    init(_ order: SortOrder<Root>) {
        term = ResultQuery.Term(order.term)
        objects = order.objects
    }

    init(_ column: ResultExpression, isDescending: Bool, objects: [ObjectID]) {
        term = ResultQuery.Term(column, isDescending: isDescending)
        self.objects = objects
    }

    /// Itself.
    public var resultOrder: ResultOrder { self }
}

extension ResultQuery.Term {
    /// One level of an order of objects.
    init(_ term: SortTerm) {
        self.init(
            ResultExpression(term.value), isDescending: term.isDescending, texts: term.texts,
            placesNilLast: term.placesNilLast)
    }
}
