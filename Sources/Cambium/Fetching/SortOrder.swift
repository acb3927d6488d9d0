import CambiumSQL

/// One level of an order: `Product.title.ascending`.
///
/// Nil is less than any value, unless ``nilFirst`` or ``nilLast`` says otherwise. Texts are
/// compared by their bytes, unless the order is made with another ``TextOrder``:
///
/// ```swift
/// let request = Product.fetchRequest()
///     .sorted(by: Product.title.ascending(.natural), Product.salePrice.descending.nilFirst)
/// ```
public struct SortOrder<Entity: ManagedObject>: Sendable, Hashable {
    let path: [String]
    let isDescending: Bool
    var texts = TextOrder.bytes
    var placesNilLast: Bool?

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
            path: path, isDescending: isDescending, texts: texts, placesNilLast: placesNilLast)
    }
}

extension Key where Value == String {
    /// The same key with the least text first, compared in a way of its own.
    public func ascending(_ texts: TextOrder) -> SortOrder<Root> {
        SortOrder(path: path, isDescending: false, texts: texts)
    }

    /// The same key with the greatest text first, compared in a way of its own.
    public func descending(_ texts: TextOrder) -> SortOrder<Root> {
        SortOrder(path: path, isDescending: true, texts: texts)
    }
}
