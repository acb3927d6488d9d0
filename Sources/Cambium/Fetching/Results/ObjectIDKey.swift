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
