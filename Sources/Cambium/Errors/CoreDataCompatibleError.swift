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
extension BatchInsertError: CoreDataCompatibleError {}
extension ImportError: CoreDataCompatibleError {}

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

extension MigrationError: CoreDataCompatibleError {
    /// Core Data's codes for stores of another model, of another version, and for migrations that
    /// fail.
    public var coreDataCode: Int {
        switch self {
        case .notAStore: 259
        case .otherModel: 134020
        case .newerFormat, .newerVersion, .unknownVersion: 134130
        case .migrationIsOff: 134100
        case .cancelled: 134120
        case .refused: 134111
        case .statementFailed, .brokenLinks, .storeDiffers, .backupFailed, .backupOfFilesFailed:
            134110
        }
    }
}
