/// An error with Core Data's code for the most similar error, so that ported code can keep its
/// switches. All errors that Cambium throws conform to it, except the errors of an observation or a
/// test (``TooManyReadsError``): Core Data has nothing similar.
///
/// ```swift
/// do {
///     try context.save()
/// } catch let error as any CoreDataCompatibleError {
///     switch error.coreDataCode {
///     case 1560, 1550..<1700: showWhatIsNotValid(error)
///     case 133020: askWhoIsRight()
///     default: report(error)
///     }
/// }
/// ```
///
/// New code should use the types of the errors and their cases.
public protocol CoreDataCompatibleError: Error {
    /// The code in Core Data's domain.
    var coreDataCode: Int { get }
}

extension ValidationError: CoreDataCompatibleError {}
extension ValidationErrors: CoreDataCompatibleError {}
extension ConflictError: CoreDataCompatibleError {}
extension ConstraintConflictError: CoreDataCompatibleError {}
extension IncompleteSaveError: CoreDataCompatibleError {}
extension StoreError: CoreDataCompatibleError {}
extension StoreLoadingError: CoreDataCompatibleError {}
extension StoreLoadingErrors: CoreDataCompatibleError {}
extension MigrationError: CoreDataCompatibleError {}

extension QueryGenerationExpired: CoreDataCompatibleError {
    /// Core Data's general code, because Core Data has no specific code for this.
    public var coreDataCode: Int { 134060 }
}

extension UnsupportedPredicateError: CoreDataCompatibleError {
    /// Core Data's general code: it raises an exception for this.
    public var coreDataCode: Int { 134060 }
}

extension ExpressionDiagnostics: CoreDataCompatibleError {
    /// Core Data's general code: it raises an exception for this.
    public var coreDataCode: Int { 134060 }
}

extension SQLiteError: CoreDataCompatibleError {
    /// Core Data's code for errors of SQLite.
    public var coreDataCode: Int { 134180 }
}

extension BatchInsertError: CoreDataCompatibleError {
    /// Core Data's code for the underlying error.
    public var coreDataCode: Int {
        (underlying as? any CoreDataCompatibleError)?.coreDataCode ?? 134030
    }
}
