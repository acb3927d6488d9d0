import CambiumSQL

/// The order of a request, for objects in memory: the same as the store's. Nil comes before any
/// value unless a term says otherwise, equal objects come in the order of their keys.
///
/// It belongs to one isolation, as the objects do.
struct ObjectOrder {
    let terms: [SortTerm]
    private let readers: [Reader]

    /// Where the value of a term comes from.
    private enum Reader {
        case path([String])
        case computed(ExpressionEvaluator)
    }

    /// An order of properties.
    init(_ terms: [SortTerm]) {
        self.terms = terms
        readers = terms.map { .path($0.path ?? []) }
    }

    /// - Throws: ``ExpressionDiagnostics`` where what is computed does not fit the entity.
    init(_ terms: [SortTerm], of entity: EntityDescription) throws(ExpressionDiagnostics) {
        self.terms = terms
        readers = try terms.map { (term) throws(ExpressionDiagnostics) -> Reader in
            if let path = term.path { return .path(path) }
            return .computed(
                try ExpressionEvaluator(
                    value: term.value, entity: entity.entity, model: entity.model))
        }
    }

    /// The values that decide an object's place, without the key.
    func keys(of object: ManagedObject) -> [Value] {
        keys(at: object.value(atPath:)) { $0.evaluate(ObjectSubject(object)) }
    }

    /// The values that decide the place of a row of a custom store, without the key.
    func keys(of subject: NodeSubject) -> [Value] {
        keys(at: subject.value(atPath:)) { $0.evaluate(subject) }
    }

    private func keys(
        at read: ([String]) -> Value, evaluate: (ExpressionEvaluator) -> Value
    ) -> [Value] {
        readers.map { reader in
            switch reader {
            case .path(let path): read(path)
            case .computed(let evaluator): evaluate(evaluator)
            }
        }
    }

    func sorted(_ objects: [ManagedObject]) -> [ManagedObject] {
        sorted(objects, key: \.key, values: keys)
    }

    /// Sorts by the values that decide, and by keys where those are equal.
    func sorted<Element>(
        _ elements: [Element], key: (Element) -> Int64, values: (Element) -> [Value]
    ) -> [Element] {
        // What texts weigh is worked out once for each.
        let prepared = ObjectOrder(
            terms.map {
                SortTerm(
                    $0.value, isDescending: $0.isDescending, placesNilLast: $0.placesNilLast)
            })
        return elements.map { (element: $0, key: key($0), values: weights(of: values($0))) }
            .sorted { prepared.precedes($0.values, $0.key, $1.values, $1.key) }
            .map(\.element)
    }

    private func weights(of keys: [Value]) -> [Value] {
        zip(terms, keys).map { $0.texts.key(of: $1) }
    }

    func precedes(_ one: [Value], _ oneKey: Int64, _ other: [Value], _ otherKey: Int64) -> Bool {
        for (index, term) in terms.enumerated() {
            let result = term.order(one[index], other[index])
            if result != 0 { return result < 0 }
        }
        return oneKey < otherKey
    }
}

extension SortTerm {
    /// Less than 0, 0 or greater than 0, as this level of an order puts two values.
    func order(_ one: Value, _ other: Value) -> Int {
        texts.order(one, other, isDescending: isDescending, placesNilLast: placesNilLast)
    }
}
