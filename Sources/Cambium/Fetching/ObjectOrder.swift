import CambiumSQL

/// The order of a request, for objects in memory: the same as the store's. Nil comes before any
/// value unless a term says otherwise, equal objects come in the order of their keys.
struct ObjectOrder {
    let terms: [SortTerm]

    init(_ terms: [SortTerm]) {
        self.terms = terms
    }

    /// The values that decide an object's place, without the key.
    func keys(of object: ManagedObject) -> [Value] {
        terms.map { object.value(atPath: $0.path) }
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
                    path: $0.path, isDescending: $0.isDescending, placesNilLast: $0.placesNilLast)
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
