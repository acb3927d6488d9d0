import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

extension Model {
    /// The differences of a store on PostgreSQL, a line each: names that the server does not
    /// accept, and missing indexes.
    var postgresRemarks: [String] {
        var remarks: [String] = []
        for table in Schema(of: self).tables {
            func note(_ kind: String, _ name: String) {
                let short = PostgresName.short(name)
                guard short != name else { return }
                let place = kind == "table" ? "" : " of \(PostgresName.short(table.name))"
                remarks.append("PostgreSQL calls the \(kind) \(name)\(place) \(short)")
            }
            note("table", table.name)
            for column in table.columns { note("column", column.name) }
            for index in table.indexes {
                if index.isOfEveryEngine || postgresForm(of: index) != nil {
                    note("index", index.name)
                } else {
                    remarks.append(
                        "PostgreSQL has no index \(index.name): it cannot compute its values or rows"
                    )
                }
            }
        }
        return remarks
    }
}
