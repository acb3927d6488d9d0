/// The progress events of an import, sent from its own isolation.
enum ImportEvent: Sendable {
    /// The number of packages read and saved so far.
    case packages(Int)
    /// The number of edges saved so far, and the total.
    case edges(Int, of: Int)
    /// A row was refused.
    case refused(Refusal)
}
