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
    /// does not run it. While key paths are looked into, getters run for made-up objects that are
    /// in no context.
    ///
    /// The meaning is that of all conditions here. Foundation's own `evaluate(_:)` differs in this:
    /// strings count as equal there by canonical equivalence, here by their bytes, and `count` is
    /// of characters there, here of Unicode scalars; it throws at `!` of nil and traps at overflow,
    /// where here the comparison is false; dividing by zero yields infinity there, here nil; and
    /// it rounds decimals of more than 38 digits.
    ///
    /// - Throws: ``UnsupportedPredicateError``, which names the part that cannot be asked of a store
    ///   and what to write in its place.
    /// - Complexity: O(size of the predicate); the first use of a key path reads it some dozen times.
    public init(_ predicate: Predicate<Root>) throws {
        guard let compiled = Root.entityReference.model else {
            throw UnsupportedPredicateError(
                part: "\(Root.self)", reason: "the class belongs to no model",
                remedy: "Give the condition as text: filter(format:)")
        }
        var lowering = PredicateLowering(model: compiled.runtimeModel)
        lowering.meanings[predicate.variable.key] = .object(
            ObjectMeaning(root: .subject, names: [], objectClass: Root.self))
        let condition = try lowering.value(predicate.expression)
        self.init(condition, objects: lowering.objects)
    }
}
