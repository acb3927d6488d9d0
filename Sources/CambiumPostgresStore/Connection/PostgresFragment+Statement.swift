import CambiumPostgresSQL

extension PostgresFragment {
    /// The statement, with its parameters numbered.
    ///
    /// - Parameter leading: Parameters that the text names by their numbers, from 1.
    func statement(_ leading: PostgresParameters = PostgresParameters()) -> PostgresStatement {
        var statement = PostgresStatement("", leading)
        var sql = ""
        for piece in pieces {
            switch piece {
            case .text(let text):
                sql += text
                continue
            case .value(let value, let type): statement.parameters.append(value, as: type)
            case .array(let values, let type):
                statement.parameters.appendArray(of: type, count: values.count) {
                    type.append(values[$0], to: &$1)
                }
            }
            sql += "$\(statement.parameters.count)"
        }
        return PostgresStatement(sql, statement.parameters)
    }
}
