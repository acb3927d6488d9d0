import CambiumEngine
import CambiumModel
import CambiumPostgresSQL

extension RowRequest {
    /// Throws if the server cannot express the request, and the request does not allow evaluation
    /// in memory.
    ///
    /// - Parameter computesResults: Whether results are computed from the rows that the server
    ///   cannot express either.
    func allowInMemoryFiltering(
        _ layout: PostgresLayout, computesResults: Bool = false
    ) throws {
        guard !allowsInMemoryFiltering else { return }
        var parts = try PostgresSelect.decidedInMemory(self, layout)
        if parts.isEmpty, computesResults { parts = ["the results"] }
        if parts.isEmpty { parts = ["the order"] }
        throw StoreError.invalidRequest(
            "The request for \(entity.name) allows nothing that is decided in memory, but the server "
                + "cannot decide \(parts.joined(separator: "; ")).",
            remedy: "Ask for it in other words, or set allowsInMemoryFiltering to true.")
    }
}
