extension Condition {
    /// Whether an object meets the condition, by its values now: what a fetch would say of it after
    /// a save.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where the condition does not fit the object's entity;
    ///   ``StoreError`` where it names an object of another container; ``PatternLimitError`` where
    ///   a regular expression takes too many steps.
    /// - Complexity: The condition is made ready at each call; `filter(_:)` of a sequence does so
    ///   once. Related objects that are not read yet are read one by one.
    public func matches(_ object: Root) throws -> Bool {
        try compiled(for: object).isTrue(object)
    }

    fileprivate func compiled(for object: ManagedObject) throws -> CompiledCondition {
        let coordinator = object.state.coordinator
        if let foreign = objects.first(where: { !coordinator.hasStore($0.store) }) {
            throw StoreError(
                code: .foreignObject,
                message: "A condition names \(foreign), which is in no store of \(object)'s "
                    + "container.",
                remedy: "Build the condition with an object of the same container.")
        }
        let name = Root.entityName
        let entity = coordinator.model[name] ?? object.entityDescription
        return try CompiledCondition(expression, of: entity, in: coordinator.model)
    }
}

extension Sequence where Element: ManagedObject {
    /// The objects that meet a condition, by their values now:
    /// `category.products.filter(Product.price < 20)`.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where the condition does not fit the objects' entity;
    ///   ``StoreError`` where it names an object of another container; ``PatternLimitError`` where
    ///   a regular expression takes too many steps.
    /// - Complexity: Some ten nanoseconds for each object that is in memory, and twice that where
    ///   the condition looks at a related one.
    public func filter(_ condition: Condition<Element>) throws -> [Element] {
        let objects = Array(self)
        guard let first = objects.first else { return [] }
        // Of a class of no entity, such as `ManagedObject`, objects may be of different ones.
        guard first.state.coordinator.model[Element.entityName] != nil else {
            return try objects.filter { try condition.matches($0) }
        }
        let condition = try condition.compiled(for: first)
        // Safety: all elements are objects, and the array stays as it is; what is found are some of
        // its elements. The storage of an array is laid out alike for all classes. Objects of a
        // class that is not known here would take three times as long.
        let found = try condition.filter(unsafeBitCast(objects, to: [ManagedObject].self))
        return unsafeBitCast(found, to: [Element].self)
    }

    /// The objects of which a Boolean is true now: `categories.filter(Category.isBrand)`.
    ///
    /// - Throws: As with a condition.
    public func filter(_ key: Key<Element, Bool>) throws -> [Element] {
        try filter(Condition(key))
    }
}
