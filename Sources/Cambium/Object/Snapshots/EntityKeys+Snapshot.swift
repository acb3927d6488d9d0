extension EntityKeys {
    /// The values of an object of this class at one moment; see ``Cambium/Snapshot``.
    public typealias Snapshot = Cambium.Snapshot<Self>

    /// The values of the object as they are now, which may cross isolations.
    ///
    /// - Complexity: Copies the values; see ``Cambium/Snapshot``.
    public var snapshot: Cambium.Snapshot<Self> { Cambium.Snapshot(self) }

    /// Inserts a new object with the values of a snapshot. It has an identity of its own.
    ///
    /// - Throws: ``StoreError`` with `foreignObject` where a to-one relationship of the snapshot
    ///   leads into another store, with `invalidRequest` where the snapshot is of another entity
    ///   than the class. Nothing is inserted then.
    public init(
        in context: ManagedObjectContext, _ snapshot: Cambium.Snapshot<Self>
    ) throws {
        let registration = context.registration(inserting: Self.self)
        let change = try SnapshotChange(
            snapshot.content, from: nil, to: registration.entity, in: context)
        self.init(registration)
        context.didInsert(self)
        change.apply(to: self)
    }

    /// Sets those attributes and to-one relationships that a snapshot has other values of. Derived
    /// and transient attributes and to-many relationships stay.
    ///
    /// The snapshot may be of another object of the same entity and store.
    ///
    /// - Throws: ``StoreError`` with `foreignObject` where the snapshot, or what one of its to-one
    ///   relationships leads to, is of another store, with `invalidRequest` where the snapshot is
    ///   of another entity, with `noStore` where the object's context is gone. Nothing is set then.
    public func update(from snapshot: Cambium.Snapshot<Self>) throws {
        guard let context = managedObjectContext else {
            throw StoreError(
                code: .noStore, message: "\(self) no longer belongs to a context.",
                remedy: "Keep the context, and look the object up in it again.")
        }
        try SnapshotChange(
            snapshot.content, from: snapshot.objectID, to: entityDescription, in: context
        ).apply(to: self)
    }
}
