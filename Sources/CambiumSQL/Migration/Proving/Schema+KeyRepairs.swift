extension Schema {
    /// What makes the key table say that the keys of all objects were given.
    package var keyRepairs: [String] {
        tables.compactMap { table in
            guard case .objects(let root) = table.content else { return nil }
            return "UPDATE \"_keys\" SET \"next\" = (SELECT coalesce(max(\"_id\"), 0) + 1 FROM "
                + "\(SQLText.identifier(table.name))) "
                + "WHERE \"entity\" = \(SQLText.literal(.text(root)))"
        }
    }
}
