import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

extension PostgresReading {
    func keys(
        ofRoot root: EntityDescription, after key: Int64?, atMost limit: Int
    ) throws -> [Int64] {
        var parameters = PostgresParameters()
        if let key { parameters.append(key) }
        let condition = key == nil ? "" : " WHERE \"_id\" > $1"
        let rows = try withReader { connection in
            try connection.run(
                """
                SELECT "_id" FROM \(layout.table(of: root.entity))\(condition) \
                ORDER BY "_id" LIMIT \(limit)
                """, parameters)
        }
        return (0..<rows.count).map { rows.integer($0, 0) }
    }

    func findFaults(
        atMost limit: Int, _ receive: ([StoreFinding], Int) throws -> Void
    ) throws {
        let derivations = PostgresDerivations(layout)
        for question in layout.model.model.structureQuestions(derivations.names) {
            try find(question.rows(atMost: limit), question.count, limit, receive) { rows, row in
                StoreFinding(
                    question, key: rows.integer(row, 0), other: rows.integer(row, 1),
                    entity: rows.text(row, 2))
            }
        }
        for maintained in derivations.maintained where !maintained.derived.sources.usesNow {
            func finding(_ key: Int64) -> StoreFinding {
                StoreFinding(
                    .staleValue, entityName: maintained.derived.entity.name, key: key,
                    property: maintained.derived.attribute.name,
                    "it differs from the computed value")
            }
            if let sql = maintained.differing(layout) {
                try find(
                    StructureQuestion.rows(of: sql, atMost: limit),
                    StructureQuestion.count(of: sql), limit, receive
                ) { finding($0.integer($1, 0)) }
                continue
            }
            let computed = ComputedValues(derivations: derivations, now: .now)
            try computed.differing(maintained, withReader) { values in
                if !values.isEmpty { try receive(values.map { finding($0.key) }, values.count) }
            }
        }
        let unreferenced = layout.unreferencedValues
        try find(
            "SELECT convert_from(\"name\", 'UTF8') \(unreferenced) ORDER BY 1 LIMIT \(limit)",
            "SELECT count(*) \(unreferenced)", limit, receive
        ) { rows, row in
            StoreFinding(
                .unreferencedExternalData,
                "no object references the large value \(rows.text(row, 0).excerpt())")
        }
    }

    /// - Parameters:
    ///   - sql: The query of the first findings.
    ///   - count: The query of their number.
    private func find(
        _ sql: String, _ count: String, _ limit: Int,
        _ receive: ([StoreFinding], Int) throws -> Void,
        _ finding: (PostgresRows, Int) -> StoreFinding
    ) throws {
        let (rows, number) = try withReader { connection in
            let rows = try connection.run(sql)
            guard rows.count == limit else { return (rows, rows.count) }
            return (rows, Int(try connection.run(count).integer(0, 0)))
        }
        if rows.count > 0 { try receive((0..<rows.count).map { finding(rows, $0) }, number) }
    }
}

extension PostgresLayout {
    /// FROM and WHERE (in SQL) of the large values that no row references.
    var unreferencedValues: String {
        let model = model.model
        let names = model.entities.flatMap { entity in
            entity.attributes.filter { $0.usesExternalForm && !$0.isTransient }.map { attribute in
                let column = PostgresName.identifier(model.column(of: attribute.name, in: entity))
                return """
                    SELECT substr(\(column), 2) FROM \(table(of: entity)) \
                    WHERE substr(\(column), 1, 1) = '\\x02'::bytea
                    """
            }
        }
        let kept =
            names.isEmpty
            ? "" : " WHERE \"name\" NOT IN (\(names.joined(separator: " UNION ALL ")))"
        return "FROM \(external.table)\(kept)"
    }
}

extension PostgresDerivations.Maintained {
    /// Returns a query of the keys of rows with a wrong value, or nil if the value is computed in
    /// memory. A difference from the server's result is accepted if it can be caused by the order
    /// of addition in a sum.
    fileprivate func differing(_ layout: PostgresLayout) -> String? {
        guard let (value, joins) = valueOfAll else { return nil }
        let model = layout.model.model
        let table = layout.tables[attribute.rootIndex]
        let new = "(\(value))::\(type.name)"
        var conditions = ["t.\(column) IS DISTINCT FROM \(new)"]
        if derived.entity.parent != nil {
            let family = SQLText.literals(model.family(of: derived.entity).map(\.name))
            conditions.append("t.\"_entity\" IN (\(family))")
        }
        if let tolerance = derived.attribute.derivedTolerance {
            // A number of any size, without overflow or underflow.
            let (old, new) = ("t.\(column)::numeric", "\(new)::numeric")
            conditions.append(
                "NOT coalesce(abs(\(old) - \(new)) <= \(tolerance) "
                    + "* greatest(abs(\(old)), abs(\(new))), false)")
        }
        return "SELECT t.\"_id\" FROM \(table.source)\(joins) "
            + "WHERE \(conditions.joined(separator: " AND "))"
    }
}
