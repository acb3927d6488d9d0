extension Condition {
    /// The condition that Foundation's `#Predicate` spells:
    ///
    /// ```swift
    /// let cheap = try Condition<Product>(#Predicate { $0.price < 20 && $0.category?.name == name })
    /// ```
    ///
    /// It becomes the same tree as one of keys, runs as one statement, and can be combined with
    /// others. Attributes, parts of composite ones, relationships (`contains(where:)`,
    /// `allSatisfy`, `filter { … }.count`, `isEmpty`), `objectID`, optionals in all their
    /// spellings, arithmetic, ranges, lists, strings and `is`/`as?` between entities can be used,
    /// and values that the closure captures. A computed property of the program cannot: a store
    /// does not run it.
    ///
    /// The meaning is that of all conditions here. Foundation's own `evaluate(_:)` differs in this:
    /// strings count as equal there by canonical equivalence, here by their bytes, and `count` is
    /// of characters there, here of Unicode scalars; it throws at `!` of nil and traps at overflow,
    /// where here the comparison is false; dividing by zero yields infinity there, here nil; and
    /// it rounds decimals of more than 38 digits.
    ///
    /// - Warning: A key path does not tell the name of its property, so it is read, for objects with
    ///   made-up values that are in no context. A computed property that a predicate names runs
    ///   with values that no row has: one that traps of them (`UUID(uuidString: text)!`,
    ///   `products.first!`) traps here, where it should be an error. The first values are plain
    ///   (small numbers, digits as text), and the reading ends with the first result that is not
    ///   the value of a property.
    /// - Throws: ``UnsupportedPredicateError``, which names the part that cannot be asked of a store
    ///   and what to write in its place.
    /// - Complexity: O(size of the predicate); the first use of a key path reads it up to 14 times.
    public init(_ predicate: Predicate<Root>) throws {
        guard let compiled = Root.entityReference.model else {
            throw UnsupportedPredicateError(
                part: "\(Root.self)", reason: "the class belongs to no model",
                remedy: "Give the condition as text: filter(format:)")
        }
        var lowering = PredicateLowering(model: compiled.modelDescription)
        lowering.meanings[predicate.variable.key] = .object(
            ObjectMeaning(root: .subject, names: [], objectClass: Root.self))
        let condition = try lowering.value(predicate.expression)
        self.init(condition, objects: lowering.objects)
    }
}
