import CambiumSQL

/// One level of an order of results: an attribute's ``Key/ascending`` and ``Key/descending``, or
/// those of an aggregate.
public protocol ResultOrdering<Root>: Sendable {
    /// The class of the objects that results are computed from.
    associatedtype Root: ManagedObject
    /// The order.
    var resultOrder: ResultOrder<Root> { get }
}

/// One level of an order of results: `Product.price.sum.descending`.
public struct ResultOrder<Root: ManagedObject>: ResultOrdering {
    let term: ResultQuery.Term

    init(_ term: ResultQuery.Term) {
        self.term = term
    }

    init(_ column: ResultExpression, isDescending: Bool) {
        term = ResultQuery.Term(column, isDescending: isDescending)
    }

    /// Itself.
    public var resultOrder: ResultOrder { self }
}

extension SortOrder: ResultOrdering {
    /// The same order, of results.
    public var resultOrder: ResultOrder<Entity> { ResultOrder(ResultQuery.Term(term)) }
}

extension ResultQuery.Term {
    /// One level of an order of objects.
    init(_ term: SortTerm) {
        self.init(
            ResultExpression(.keyPath(root: .subject, names: term.path)),
            isDescending: term.isDescending, texts: term.texts, placesNilLast: term.placesNilLast)
    }
}
