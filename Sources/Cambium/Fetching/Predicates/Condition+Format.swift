extension Condition {
    /// Reads a condition in Core Data's predicate format and checks it against the model of the
    /// class. It can be combined with others, as one of keys can.
    ///
    /// ```swift
    /// let cheap = try Condition<Product>(format: "price < %@ AND category == %@", limit, books)
    /// ```
    ///
    /// - Parameter arguments: What stands for `%@` (a value, an object, a list) and `%K` (a name),
    ///   in order.
    /// - Throws: ``ExpressionDiagnostics``, which name the places in the text; a ``StoreError``
    ///   where the class was generated from no model: use ``FetchRequest/filter(format:_:)`` then.
    /// - Complexity: O(length of the text × size of the entity)
    public init(format: String, _ arguments: any PredicateArgument...) throws {
        guard let model = Root.entityReference.model?.model,
            let entity = model.entity(named: Root.entityName)
        else {
            throw StoreError(
                code: .invalidRequest,
                message: "\(Root.self) belongs to no model, so that a condition for it cannot be "
                    + "read from a string.",
                remedy: "Give the string to a request: filter(format:).")
        }
        var objects: [ObjectID] = []
        let tree = ExpressionCompiler.condition(
            format, entity: entity, model: model,
            arguments: arguments.map { $0.argument(naming: &objects) })
        self.init(try tree.get(), objects: objects)
    }
}
