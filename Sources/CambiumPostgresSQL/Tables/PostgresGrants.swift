import CambiumModel
import CambiumSQL

/// The statements that let a user read and write a store of another owner, and do nothing else.
package enum PostgresGrants {
    private static let rights = "SELECT, INSERT, UPDATE, DELETE"

    /// The statements, for the owner of the tables. The last statements are for tables that do not
    /// exist yet: the tables of later versions, and of the history if it is enabled later.
    ///
    /// - Parameters:
    ///   - schema: The name of the schema of the store.
    ///   - user: The name of the user.
    package static func script(
        of model: Model, in schema: String = PostgresSchema.defaultName, to user: String
    ) -> [String] {
        let layout = PostgresLayout(.withoutClasses(model), schema: schema)
        let user = SQLText.identifier(user)
        let history = PostgresHistoryNames(layout)
        let tables =
            [layout.metadata, layout.commits.table, layout.external.table]
            + PostgresSchema(of: PostgresDerivations(layout)).tables
            .map { layout.qualified($0.name) }
        let list = tables.joined(separator: ",\n    ")
        return [
            "GRANT USAGE ON SCHEMA \(layout.schema) TO \(user)",
            "GRANT SELECT, UPDATE ON \(layout.keys) TO \(user)",
            "GRANT \(rights) ON\n    \(list)\n    TO \(user)",
            """
            DO $cambium$
            BEGIN
                IF to_regclass(\(SQLText.literal(history.state))) IS NOT NULL THEN
                    GRANT \(rights) ON \(history.tables.joined(separator: ", ")) TO \(user);
                    GRANT USAGE ON SEQUENCE \(history.sequence) TO \(user);
                END IF;
            END
            $cambium$
            """,
            """
            ALTER DEFAULT PRIVILEGES IN SCHEMA \(layout.schema)
                GRANT \(rights) ON TABLES TO \(user)
            """,
            """
            ALTER DEFAULT PRIVILEGES IN SCHEMA \(layout.schema)
                GRANT USAGE ON SEQUENCES TO \(user)
            """,
        ]
    }
}
