/// A request whose results are rows of values instead of objects: a tuple of what was selected, a
/// struct made of it, or a dictionary.
///
/// ```swift
/// let totals = try context.fetch(
///     Product.fetchRequest()
///         .filter(Product.stock > 0)
///         .select(Product.category.name, Product.objectID.count, Product.price.sum)
///         .grouped(by: Product.category.name)
///         .having(Product.objectID.count > 2)
///         .sorted(by: Product.price.sum.descending))
/// for (name, count, sum) in totals { … }          // (String?, Int, Decimal?)
/// ```
///
/// One statement computes everything. No objects are made, unless the context has unsaved changes
/// that count (``FetchRequest/includesPendingChanges``): then the results are computed in memory
/// from the objects as they are now, with the same outcome as after a save. (Core Data's dictionary
/// results leave unsaved changes out.)
///
/// ## Topics
/// - Making one: ``FetchRequest/select(_:)``, ``FetchRequest/dictionaries(_:)``
/// - Groups: ``grouped(by:)``, ``having(_:)``, ``distinct()``
/// - Window: ``sorted(by:)``, ``limit(_:)``, ``offset(_:)``
/// - Form: ``map(_:)``
/// - Running: ``ManagedObjectContext/fetch(_:)-(ResultRequest<Entity,Row>)``
public struct ResultRequest<Entity: ManagedObject, Row>: Sendable {
    /// Which objects the results are computed from. Limit and offset count results.
    public var base: FetchRequest<Entity>

    let columns: ResultColumns
    var groups: [ResultExpression] = []
    var groupCondition: GroupTest?
    var orders: [ResultQuery.Term] = []
    var isDistinct = false
    /// The objects that columns and conditions name.
    var objects: [ObjectID] = []
    let makeRow: @Sendable (_ names: [String], _ values: [PropertyValue]) throws -> Row

    /// The request for results of another type, made of each row:
    /// `.map { Line(title: $0.0, price: $0.1) }`.
    public func map<Other>(
        _ transform: @escaping @Sendable (Row) throws -> Other
    ) -> ResultRequest<Entity, Other> {
        ResultRequest<Entity, Other>(
            base: base, columns: columns, groups: groups, groupCondition: groupCondition,
            orders: orders, isDistinct: isDistinct, objects: objects
        ) { [makeRow] names, values in
            try transform(makeRow(names, values))
        }
    }

    /// The request with one more condition for the objects, which must be true too.
    public func filter(_ condition: Condition<Entity>) -> ResultRequest {
        with { $0.base = $0.base.filter(condition) }
    }

    /// The request with one more condition for the objects, a Boolean that must be true.
    public func filter(_ key: Key<Entity, Bool>) -> ResultRequest {
        filter(Condition(key))
    }

    /// The request with equal results once. It can be sorted by what is selected only.
    public func distinct() -> ResultRequest {
        with { $0.isDistinct = true }
    }

    /// The request with one result for all objects that have the same values of these keys. The
    /// other columns have to be aggregates.
    ///
    /// What leads through a to-many relationship cannot be grouped by: the fetch throws.
    public func grouped<each Output>(
        by keys: repeat any ResultColumn<Entity, each Output>
    ) -> ResultRequest {
        with { request in
            for key in repeat each keys {
                request.groups.append(key.resultExpression)
                request.objects += key.reading.objects
            }
        }
    }

    /// The request with one more condition for the groups. Without groups the fetch throws.
    public func having(_ condition: GroupCondition<Entity>) -> ResultRequest {
        with { request in
            request.groupCondition =
                request.groupCondition.map { .and([$0, condition.test]) } ?? condition.test
            request.objects += condition.objects
        }
    }

    /// The request in an order of several levels, which replaces that of the objects. Results that
    /// are equal in it come in the order of their groups, or of their objects' keys.
    public func sorted(by orders: any ResultOrdering<Entity>...) -> ResultRequest {
        with { request in
            let orders = orders.map { $0.resultOrder }
            request.orders = orders.map(\.term)
            request.objects += orders.flatMap(\.objects)
        }
    }

    /// The request with at most so many results.
    public func limit(_ limit: Int) -> ResultRequest {
        with { $0.base.limit = limit }
    }

    /// The request without its first results.
    public func offset(_ offset: Int) -> ResultRequest {
        with { $0.base.offset = offset }
    }

    private func with(_ change: (inout ResultRequest) -> Void) -> ResultRequest {
        var request = self
        change(&request)
        return request
    }
}

/// What columns a ``ResultRequest`` has.
enum ResultColumns: Sendable {
    /// These; of dictionaries with names.
    case selected([ResultExpression], names: [String])
    /// Those at these dotted paths.
    case paths([String])
    /// All attributes.
    case attributes
}
