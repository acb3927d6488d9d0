import CambiumModel
import CambiumSQL

extension PostgresExpression {
    /// A subselect over the elements of a collection that meet its condition.
    ///
    /// - Parameter results: Returns the selected expressions for the order of the elements.
    package mutating func select(
        _ collection: TypedCollection,
        _ results: (_ order: String) throws -> PostgresFragment
    ) throws -> PostgresFragment {
        let from = try source(of: collection)
        return "SELECT \(try results(from.order)) \(try filtered(from.source, collection))"
    }

    /// The FROM and WHERE clauses for a collection, with its condition. A doubt about an element is
    /// a doubt about the object.
    private mutating func filtered(
        _ source: PostgresFragment, _ collection: TypedCollection
    ) throws -> PostgresFragment {
        guard let test = collection.condition else { return source }
        return try lifting(source) { "\(source) AND (\(try $0.condition(test, .filter)))" }
    }

    /// Writes SQL over elements. Doubts about an element become doubts about the object.
    private mutating func lifting<Result>(
        _ source: PostgresFragment, _ write: (inout PostgresExpression) throws -> Result
    ) throws -> Result {
        let outer = doubts
        doubts = []
        let result = try write(&self)
        let inner = doubt
        doubts = outer
        if let inner { doubts.append("EXISTS (SELECT 1 \(source) AND (\(inner)))") }
        return result
    }

    private mutating func source(
        of collection: TypedCollection
    ) throws -> (source: PostgresFragment, order: String) {
        if isOfTable { throw UnsupportedExpression() }
        let element = Self.alias(ofVariable: collection.variable)
        let table = "\(layout.table(of: collection.destination)) AS \(element)"
        let position = model.positionColumn(
            of: collection.relationship, of: collection.owner.entity)
        let source: String
        let link: String
        var order = "\(element).\"_id\""
        switch model.storage(of: collection.relationship, of: collection.owner.entity) {
        case .inverseKey(let column):
            (source, link) = (table, PostgresTable.column(column, of: element))
            if let position {
                order = "\(PostgresTable.column(position, of: element)) NULLS LAST, \(order)"
            }
        case .joinTable(let name, let sourceColumn, let destinationColumn):
            let pairs = makeAlias()
            source =
                "\(layout.qualified(name)) AS \(pairs) JOIN \(table) ON \(element).\"_id\" = "
                + PostgresTable.column(destinationColumn, of: pairs)
            link = PostgresTable.column(sourceColumn, of: pairs)
            if let position {
                order = "\(PostgresTable.column(position, of: pairs)) NULLS LAST, \(order)"
            }
        case .key, .transient: throw UnsupportedExpression()
        }
        let owner = try key(of: collection.owner)
        return ("FROM \(raw: source) WHERE \(raw: link) = \(owner)", order)
    }

    // MARK: Aggregates

    package mutating func aggregate(
        _ function: AggregateFunction, _ collection: TypedCollection, _ operand: TypedExpression
    ) throws -> PostgresFragment {
        let (source, order) = try source(of: collection)
        let element = try lifting(source) { try $0.element(operand) }
        let filtered = try filtered(source, collection)
        guard !operand.isLeaf else {
            let aggregate = try Aggregate(function, of: operand.type, element, order: order)
            if let doubt = aggregate.doubt { doubts.append("(SELECT \(doubt) \(filtered))") }
            return "(SELECT \(aggregate.value) \(filtered))"
        }
        // Written once, however often it is used.
        let elements: PostgresFragment = """
            FROM (SELECT \(element) AS e, row_number() OVER (ORDER BY \(raw: order)) AS k \
            \(filtered) OFFSET 0) AS _e
            """
        let aggregate = try Aggregate(function, of: operand.type, "_e.e", order: "_e.k")
        if let doubt = aggregate.doubt { doubts.append("(SELECT \(doubt) \(elements))") }
        return "(SELECT \(aggregate.value) \(elements))"
    }

    /// The SQL of an operand of an aggregate, or of a result column.
    package mutating func element(_ operand: TypedExpression) throws -> PostgresFragment {
        operand.type.isFloatingPoint ? try double(operand) : try value(operand)
    }

    /// An aggregate over many values. The values that take part are not NULL.
    package struct Aggregate {
        package let value: PostgresFragment
        /// A condition; if it is true, the value is wrong.
        package var doubt: PostgresFragment?

        /// - Parameter order: The order of the elements in memory. The sum of floating-point
        ///   numbers depends on the order of addition.
        package init(
            _ function: AggregateFunction, of type: ExpressionType, _ element: PostgresFragment,
            order: String
        ) throws {
            switch function {
            case .count: value = "count(\(element))"
            case .minimum, .maximum:
                switch type {
                case .integer, .duration, .float, .double, .decimal, .anyDecimal, .date, .string:
                    let name = function == .minimum ? "min" : "max"
                    value = "\(raw: name)(\(element))"
                default: throw UnsupportedExpression()
                }
            case .sum, .average:
                let isMean = function == .average
                if type == .anyDecimal {
                    // Only the program can round a quotient of decimals correctly.
                    if isMean { throw UnsupportedExpression() }
                    doubt = """
                        (sum(abs(\(element))) * power(10::numeric, max(min_scale(\(element)))) \
                        >= 1e38::numeric)
                        """
                    value = "coalesce(sum(\(element)), 0)"
                } else if let scale = type.scale {
                    value =
                        isMean
                        ? Self.mean(ofExact: element, type, scale)
                        : PostgresExpression.whole(
                            "coalesce(sum((\(element))::numeric), 0)", type)
                } else {
                    (value, doubt) = Self.total(element, order, isMean: isMean)
                }
            }
        }

        private static func mean(
            ofExact element: PostgresFragment, _ type: ExpressionType, _ scale: Int
        ) -> PostgresFragment {
            let divisor = String(DecimalStorage.powerOfTen(scale))
            let units: PostgresFragment =
                type.wireScale == nil
                ? "sum((\(element))::numeric)" : "sum((\(element))::numeric) * \(raw: divisor)"
            return """
                (CASE WHEN \(units) BETWEEN -9223372036854775807 AND 9223372036854775806 \
                THEN (\(units))::double precision / nullif(count(\(element)), 0) \
                / \(raw: divisor) END)
                """
        }

        /// The sum or the mean of floating-point numbers, added one after the other as in memory.
        /// The server fails if a sum overflows, so very large numbers are excluded and make the
        /// result doubtful.
        private static func total(
            _ element: PostgresFragment, _ order: String, isMean: Bool
        ) -> (value: PostgresFragment, doubt: PostgresFragment) {
            let isSure: PostgresFragment =
                "abs(\(element)) < 1e290 OR abs(\(element)) = \(raw: PostgresExpression.infinity)"
            let sum: PostgresFragment =
                "sum(CASE WHEN \(isSure) THEN \(element) END ORDER BY \(raw: order))"
            let isTooGreat: PostgresFragment = "coalesce(bool_or(NOT (\(isSure))), false)"
            guard isMean else {
                return ("nullif(coalesce(\(sum), 0), 'NaN')", isTooGreat)
            }
            // A quotient near zero would be an error, too.
            let isMeasurable: PostgresFragment = "\(sum) = 0 OR abs(\(sum)) >= 1e-280"
            return (
                """
                (CASE WHEN \(isMeasurable) \
                THEN nullif(\(sum), 'NaN') / nullif(count(\(element)), 0) END)
                """, "(\(isTooGreat) OR NOT (\(isMeasurable)))"
            )
        }
    }
}
