/// The statements that read and write the rows of an entity, put together once for each step.
struct RowStatements {
    let batch: String
    let one: String
    let count: String
    let insertion: String
    let update: String
    let deletion: String
    /// Whether steps may write the rows.
    let isWritable: Bool

    /// - Parameter isNew: Whether the rows are those of the new version.
    init(_ layout: RowLayout, isNew: Bool, in run: StepRun) {
        let working = isNew ? run.workingTable(layout.root) : nil
        isWritable = working != nil
        let table = working ?? (isNew ? run.newTable(layout.root) : run.oldTable(layout.root))
        let sql = layout.sql(in: table)
        (batch, one, count) = (sql.batch, sql.one, sql.count)
        (insertion, update, deletion) = (sql.insertion, sql.update, sql.deletion)
    }
}
