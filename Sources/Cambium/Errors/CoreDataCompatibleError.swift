/// An error that has the code which Core Data uses for the nearest thing, so that ported code can
/// keep its switches. All errors that Cambium throws are such errors, except those of an
/// observation or a test (``TooManyReadsError``), for which Core Data has nothing.
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
/// New code does better with the types of the errors and their cases.
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
    /// Core Data's general code: it has none of its own for this.
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
    /// Core Data's code for what SQLite answered.
    public var coreDataCode: Int { 134180 }
}

extension BatchInsertError: CoreDataCompatibleError {
    /// The code that Core Data uses for what is wrong.
    public var coreDataCode: Int {
        (underlying as? any CoreDataCompatibleError)?.coreDataCode ?? 134030
    }
}
