/// Computes results from objects in memory, the same that the store computes from their rows.
///
/// It belongs to one isolation, as the objects do.
package final class ResultComposer {
    /// An object, and the key that breaks ties.
    package typealias Subject = (key: Int64, subject: any ExpressionSubject)

    /// A prepared column.
    private final class Column {
        let function: AggregateFunction?
        let evaluator: ExpressionEvaluator

        init(_ column: TypedResults.Column) {
            function = column.function
            evaluator = ExpressionEvaluator(column.operand)
        }
    }

    /// A result with its sort keys.
    private struct Row {
        let values: [Value]
        let keys: [Value]
        /// The values that order results with equal sort keys.
        let ties: [Value]
    }

    /// The groups of equal values, numbered in the order in which they are found.
    private struct Groups {
        private var numbers: [[Value]: Int] = [:]

        /// Returns the number of the values' group. If no equal values were seen before, the group
        /// is new.
        mutating func number(of values: [Value]) -> Int {
            let key = values.map { $0.groupingKey }
            if let number = numbers[key] { return number }
            let number = numbers.count
            numbers[key] = number
            return number
        }
    }

    private let query: TypedResults
    private let columns: [Column]
    private let groups: [ExpressionEvaluator]
    private let orders: [Column]
    private let now: Date

    package init(_ query: TypedResults, now: Date = .now) {
        self.query = query
        self.now = now
        columns = query.columns.map(Column.init)
        groups = query.groups.map(ExpressionEvaluator.init)
        orders = query.order.map { Column($0.column) }
    }

    /// Returns the results, in order, limited to the window.
    ///
    /// - Throws: Errors from the evaluation of a pattern.
    package func results(
        of subjects: [Subject], limit: Int? = nil, offset: Int = 0
    ) throws -> [[Value]] {
        var rows =
            try query.isGrouped ? groupedRows(of: subjects) : subjects.map { try row(of: $0) }
        if query.isDistinct {
            var groups = Groups()
            var distinct: [Row] = []
            for row in rows where groups.number(of: row.values) == distinct.count {
                distinct.append(Row(values: row.values, keys: row.keys, ties: row.values))
            }
            rows = distinct
        }
        rows.sort(by: precedes)
        let window = rows.dropFirst(offset)
        return (limit.map { window.prefix($0) } ?? window).map { $0.values }
    }

    // MARK: Rows

    private func row(of subject: Subject) throws -> Row {
        Row(
            values: try columns.map { try evaluate($0.evaluator, subject) },
            keys: try orders.map { try evaluate($0.evaluator, subject) },
            ties: [.int(subject.key)])
    }

    private func groupedRows(of subjects: [Subject]) throws -> [Row] {
        guard !groups.isEmpty else { return try row(of: subjects, ties: []).map { [$0] } ?? [] }
        var numbers = Groups()
        var members: [(ties: [Value], subjects: [Subject])] = []
        for subject in subjects {
            let ties = try groups.map { try evaluate($0, subject) }
            let number = numbers.number(of: ties)
            if number == members.count { members.append((ties, [])) }
            members[number].subjects.append(subject)
        }
        return try members.compactMap { try row(of: $0.subjects, ties: $0.ties) }
    }

    /// Returns the result of a group; nil if the condition on groups excludes it.
    private func row(of members: [Subject], ties: [Value]) throws -> Row? {
        if let having = query.having, try !isTrue(having, members) { return nil }
        return Row(
            values: try columns.map { try value(of: $0, members) },
            keys: try orders.map { try value(of: $0, members) }, ties: ties)
    }

    private func value(of column: Column, _ members: [Subject]) throws -> Value {
        guard let function = column.function else {
            return try members.first.map { try evaluate(column.evaluator, $0) } ?? .null
        }
        let values = try members.map { try evaluate(column.evaluator, $0) }
        return column.evaluator.aggregate(function, values.filter { $0 != .null })
    }

    private func evaluate(_ evaluator: ExpressionEvaluator, _ subject: Subject) throws -> Value {
        try evaluator.evaluate(subject.subject, now: now)
    }

    private func isTrue(_ test: TypedResults.Test, _ members: [Subject]) throws -> Bool {
        switch test {
        case .comparison(let column, let relation, let constant):
            try Value.isTrue(value(of: Column(column), members), relation, constant)
        case .and(let tests): try tests.allSatisfy { try isTrue($0, members) }
        case .or(let tests): try tests.contains { try isTrue($0, members) }
        case .not(let test): try !isTrue(test, members)
        }
    }

    // MARK: Order

    private func precedes(_ one: Row, _ other: Row) -> Bool {
        for (index, term) in query.order.enumerated() {
            let result = term.texts.order(
                one.keys[index], other.keys[index], isDescending: term.isDescending,
                placesNilLast: term.placesNilLast)
            if result != 0 { return result < 0 }
        }
        for (one, other) in zip(one.ties, other.ties) {
            let result = one.order(relativeTo: other)
            if result != 0 { return result < 0 }
        }
        return false
    }
}

extension Value {
    /// A value that is equal if the stored forms are. Strings with different bytes that look alike
    /// are different.
    fileprivate var groupingKey: Value {
        switch self {
        case .string(let text): .data(Data(text.utf8))
        case .uri(let uri): .data(Data(uri.absoluteString.utf8))
        default: self
        }
    }
}
