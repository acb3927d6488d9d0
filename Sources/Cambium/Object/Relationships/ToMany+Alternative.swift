// An object that may be missing has members that may be missing:
// `for product in product.category?.products ?? [] { … }`. A view belongs to an object, so that the
// array beside it makes an array of both.

/// The objects of a relationship as an array, or an array in place of a missing view.
public func ?? <Destination>(
    view: ToMany<Destination>?, other: @autoclosure () throws -> [Destination]
) rethrows -> [Destination] {
    try view.map(Array.init) ?? other()
}

/// The objects of an ordered relationship as an array, or an array in place of a missing view.
public func ?? <Destination>(
    view: OrderedToMany<Destination>?, other: @autoclosure () throws -> [Destination]
) rethrows -> [Destination] {
    try view.map(Array.init) ?? other()
}
