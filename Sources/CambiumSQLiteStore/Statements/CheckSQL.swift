/// The statements of a check of a store.
enum CheckSQL {
    /// The tables with rows whose keys reference rows that do not exist. Such rows may be many.
    static let tablesWithDanglingKeys = "SELECT DISTINCT \"table\" FROM pragma_foreign_key_check"
}
