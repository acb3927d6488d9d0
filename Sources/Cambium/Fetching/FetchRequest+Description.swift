extension FetchRequest: CustomStringConvertible {
    /// The request in words, the condition in those of the text format, such as
    /// `Product where price < 20 sorted by title descending, limit 50`.
    public var description: String {
        var text = entityName
        let conditions =
            (condition.map { [$0.description] } ?? []) + formats.map(\.text)
            + (templateName.map { ["template \($0)"] } ?? [])
        if let only = conditions.first, conditions.count == 1 {
            text += " where \(only)"
        } else if !conditions.isEmpty {
            text += " where " + conditions.map { "(\($0))" }.joined(separator: " AND ")
        }
        if !sortOrders.isEmpty {
            text += " sorted by " + sortOrders.map(\.description).joined(separator: ", ")
        }
        if let limit { text += ", limit \(limit)" }
        if offset > 0 { text += ", offset \(offset)" }
        if !includesSubentities { text += ", without sub-entities" }
        if !includesPendingChanges { text += ", without pending changes" }
        return text
    }
}
