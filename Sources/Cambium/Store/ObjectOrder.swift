import CambiumRecords

/// The order of a request, for objects in memory: the same as the store's. Nil comes before any
/// value unless a term says otherwise, equal objects come in the order of their keys.
///
/// It belongs to one isolation, as the objects do.
package struct ObjectOrder {
    package let terms: [SortTerm]
    private let levels: [Level]
    /// Whether the least value of the first term comes first or last, by its bytes.
    var comparesFirstPlainly: Bool { levels.first?.isPlain ?? false }
    package let readers: [Reader]

    /// The comparison of one term, as far as a few bits describe it: comparisons are the most
    /// frequent operation of a list.
    private struct Level {
        let isDescending: Bool
        /// Whether bytes decide, and the least value comes first.
        let isPlain: Bool

        init(_ term: SortTerm) {
            isDescending = term.isDescending
            isPlain = term.texts == .bytes && term.placesNilLast == nil
        }
    }

    /// The way to read a value for the comparison.
    package enum Reader {
        /// An attribute of the object itself with the same form in the row as in its value.
        case slot(Int, AttributeType)
        case path([String])
        case computed(ExpressionEvaluator)
    }

    /// An order of properties.
    init(_ terms: [SortTerm]) {
        self.terms = terms
        levels = terms.map { Level($0) }
        readers = terms.map { .path($0.path ?? []) }
    }

    /// - Throws: ``ExpressionDiagnostics`` if a computed value does not fit the entity.
    package init(_ terms: [SortTerm], of entity: EntityDescription) throws(ExpressionDiagnostics) {
        self.terms = terms
        levels = terms.map { Level($0) }
        readers = try terms.map { (term) throws(ExpressionDiagnostics) -> Reader in
            if let path = term.path {
                guard path.count == 1, entity.relationship(named: path[0]) == nil,
                    let slot = entity.layout.slot(of: path[0]),
                    let attribute = entity.attributes[slot], !attribute.usesExternalForm
                else { return .path(path) }
                if case .enumeration = attribute.type { return .path(path) }
                return .slot(slot, attribute.type)
            }
            return .computed(
                try ExpressionEvaluator(
                    value: term.value, entity: entity.entity, model: entity.model))
        }
    }

    /// Returns the indices of objects or rows in this order: by the values of the terms, then by
    /// keys.
    package func indices(of rows: [(key: Int64, values: [Value])]) -> [Int] {
        // The weights of strings are computed once for each.
        let prepared = ObjectOrder(
            terms.map {
                SortTerm($0.value, isDescending: $0.isDescending, placesNilLast: $0.placesNilLast)
            })
        let weighed = rows.map { weights(of: $0.values) }
        return sortedIndices(rows.count) {
            prepared.precedes(weighed[$0], rows[$0].key, weighed[$1], rows[$1].key)
        }
    }

    private func weights(of keys: [Value]) -> [Value] {
        zip(terms, keys).map { $0.texts.key(of: $1) }
    }

    func precedes(_ one: [Value], _ oneKey: Int64, _ other: [Value], _ otherKey: Int64) -> Bool {
        let result = order(one, 0, other)
        return result == 0 ? oneKey < otherKey : result < 0
    }

    /// Returns a number less than 0, 0, or greater than 0, according to the values of all terms.
    ///
    /// - Parameter start: The index of the first value of `one`, if it contains others too.
    @inline(never)
    func order(_ one: [Value], _ start: Int, _ other: [Value]) -> Int {
        for index in levels.indices {
            let level = levels[index]
            var result: Int
            if level.isPlain {
                result = one[start + index].order(relativeTo: other[index])
                if level.isDescending { result = -result }
            } else {
                result = terms[index].order(one[start + index], other[index])
            }
            if result != 0 { return result }
        }
        return 0
    }
}

/// Returns the numbers below `count`, sorted with a comparison; equal ones keep their order.
///
/// An optimized build compiles a sort again for each type of elements. For this reason, long lists
/// of other types than numbers are sorted here, and short ones by `ordered(by:)`.
@inline(never)
func sortedIndices(_ count: Int, by precedes: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: precedes)
}

extension Array {
    /// The elements in the order of their keys.
    func sorted(byKey key: (Element) -> Int64) -> [Element] {
        let keys = map(key)
        return sortedIndices(count) { keys[$0] < keys[$1] }.map { self[$0] }
    }
}

extension SortTerm {
    /// Less than 0, 0 or greater than 0, as this level of an order puts two values.
    func order(_ one: Value, _ other: Value) -> Int {
        texts.order(one, other, isDescending: isDescending, placesNilLast: placesNilLast)
    }
}
