/// What an import tells while it runs, from its own isolation.
enum ImportEvent: Sendable {
    /// So many packages were read, and saved up to here.
    case packages(Int)
    /// So many of all edges were saved.
    case edges(Int, of: Int)
    /// A row was refused.
    case refused(Refusal)
}
