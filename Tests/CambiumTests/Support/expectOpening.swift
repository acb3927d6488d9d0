import Cambium
import Testing

/// Expects that a store cannot be opened.
///
/// - Parameter type: What the error behind the ``StoreLoadingError`` is.
/// - Returns: That error.
@discardableResult
func expectOpening<Failure: Error, Result>(
    throws type: Failure.Type, sourceLocation: SourceLocation = #_sourceLocation,
    _ open: () throws -> Result
) -> Failure? {
    let error = #expect(throws: StoreLoadingError.self, sourceLocation: sourceLocation) {
        _ = try open()
    }
    let failure = error?.underlying as? Failure
    #expect(failure != nil, "\(String(describing: error))", sourceLocation: sourceLocation)
    return failure
}
