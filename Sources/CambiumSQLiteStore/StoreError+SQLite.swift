import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension StoreError {
    /// Creates the error for a failure in the file of an open store. Another program may have
    /// destroyed or migrated the store, or the file, its folder or its disk has a problem.
    ///
    /// - Parameters:
    ///   - use: The operation on the file; nil for a store in memory.
    ///   - connection: The connection that was used; nil if none could be opened.
    /// - Returns: Nil if SQLite's error has another reason.
    init?(_ error: SQLiteError, in use: StoreUse?, on connection: Connection?) {
        guard let use else { return nil }
        let path = use.path
        if error.isOfMovedFile {
            self.init(destroyed: path, error.message, error)
        } else if Self.removalCodes.contains(error.primaryCode),
            !FileManager.default.fileExists(atPath: path)
        {
            self.init(destroyed: path, "The file was removed", error)
        } else if let connection, error.primaryCode == Self.statementCode,
            let names = try? connection.rows(Catalogue.namesQuery),
            !names.contains([.text(MetadataSQL.table)])
        {
            self.init(destroyed: path, "Its tables were deleted", error)
        } else if let connection, error.primaryCode == Self.statementCode,
            let rows = try? connection.rows(StoreMetadata.query),
            let store = StoreMetadata(rows: rows), store.versionHash != use.versionHash
        {
            self = .migrated(
                "The store '\(StoreFiles.name(of: path))'", toVersion: store.version,
                of: store.model, error)
        } else if error.primaryCode == Self.statementCode, error.message.hasPrefix("unsafe use") {
            self.init(
                code: .notTrusted,
                message:
                    "Cannot \(use.operation.rawValue) '\(StoreFiles.name(of: path))': a trigger "
                    + "or view of another program uses a virtual table or function that only that "
                    + "program may use (\(error.message)).",
                remedy: "Remove the trigger or view from the store, or let that program update its "
                    + "tables.",
                underlying: error)
        } else {
            self.init(error, in: use.operation, path)
        }
    }

    /// Creates the error for a problem with the file, its folder or its disk during an operation.
    ///
    /// - Returns: Nil if SQLite's error has another reason.
    init?(_ error: SQLiteError, in operation: StoreUse.Operation, _ path: String) {
        guard let fileProblem = FileProblem(error, with: path) else { return nil }
        let code: Code =
            switch error.primaryCode {
            case 5, 6: .busy
            case 11, 26: .corrupt
            default: operation == .opening ? .cannotOpen : .inaccessible
            }
        self.init(
            code: code,
            message: "Cannot \(operation.rawValue) '\(StoreFiles.name(of: path))': "
                + "\(fileProblem.problem).",
            remedy: "\(fileProblem.remedy).", underlying: error)
    }

    /// Runs a closure that uses the file of a store that is not open, and translates errors about
    /// the file, its folder or its disk.
    ///
    /// - Throws: ``StoreError`` with the file and the operation; any other error of the closure.
    static func naming<Result>(
        _ path: String, in operation: StoreUse.Operation, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError(error, in: operation, path) ?? error
        }
    }

    private init(destroyed path: String, _ found: String, _ error: SQLiteError) {
        self.init(
            code: .noStore,
            message: "The store \(path) was destroyed while it was open: "
                + "\(found.prefix(1).lowercased())\(found.dropFirst()).",
            remedy: "Unsaved changes stay in their contexts. Put the files back, or remove the "
                + "store from its coordinator and add it again, which opens the file that is at "
                + "the path then.",
            underlying: error)
    }

    /// SQLite's code for a statement that does not fit the tables.
    private static let statementCode: Int32 = 1
    /// Read-only (returned for a file that was moved), input or output, cannot open.
    private static let removalCodes: Set<Int32> = [8, 10, 14]

    /// - Parameter reason: The system's error number.
    static func cannotWatch(_ paths: [String], _ reason: Int32) -> StoreError {
        StoreError(
            code: .invalidRequest,
            message: "\(paths.joined(separator: " and ")) cannot be watched for changes of other "
                + "processes (error \(reason) of the system).",
            remedy: "Open fewer stores with followsRemoteChanges, or raise the limit (on Linux, "
                + "fs.inotify.max_user_instances).")
    }

    static func cannotFollow(_ path: String) -> StoreError {
        StoreError(
            code: .invalidRequest,
            message: "\(path) is on a file system that is mounted for reading only, so it is read "
                + "as a file that does not change.",
            remedy: "Open it without followsRemoteChanges.")
    }

    /// Creates the error for a store file that could not be opened, with the reason of the file
    /// system if it is known.
    ///
    /// - Returns: Nil if SQLite's error does not concern the file.
    init?(opening path: String, isReadOnly: Bool, _ error: SQLiteError) {
        guard Self.fileCodes.contains(error.primaryCode) else {
            self.init(error, in: .opening, path)
            return
        }
        let (problem, remedy) = Self.reason(path, isReadOnly)
        self.init(code: .cannotOpen, message: problem, remedy: remedy, underlying: error)
    }

    /// Read-only, input or output, cannot open, not authorized.
    private static var fileCodes: Set<Int32> { [8, 10, 14, 23] }

    private static func reason(
        _ path: String, _ isReadOnly: Bool
    ) -> (problem: String, remedy: String) {
        let folder =
            path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : path[..<$0] } ?? "."
        switch (FileKind(at: path), FileKind(at: String(folder))) {
        case (.folder, _):
            return (
                "There is a folder at \(path).",
                "Give the store the path of a file, such as one in that folder."
            )
        case (.nothing, .nothing) where path.hasPrefix("~"):
            return (
                "There is no folder \(folder) for the store \(path). A path is used as it is: only a "
                    + "shell expands ~ to the home folder.",
                "Begin the path with FileManager.default.homeDirectoryForCurrentUser.path."
            )
        case (.nothing, .nothing):
            return (
                "There is no folder \(folder) for the store \(path).",
                "Create the folder, or correct the path."
            )
        case (.nothing, .file):
            return (
                "The store \(path) cannot be created, because \(folder) is a file.",
                "Correct the path."
            )
        case (.nothing, .folder) where isReadOnly:
            return (
                "There is no store \(path), and opening it for reading only does not create one.",
                "Correct the path, or open it once without isReadOnly."
            )
        case (.nothing, .folder):
            return (
                "The store \(path) cannot be created: the program may not write the folder, or its "
                    + "file system is mounted for reading only.",
                "Choose another folder, or let the program write there."
            )
        default:
            if isReadOnly, let problem = FilesAtRest(of: path).problemOfMount() {
                return (problem, FilesAtRest.remedyOfMount)
            }
            return (
                "The store \(path) cannot be opened.",
                "See that the program may read "
                    + (isReadOnly
                        ? "the file and its folder."
                        : "and write the file and its folder, or open it with isReadOnly.")
            )
        }
    }
}

/// The kind of file at a path.
private enum FileKind {
    case nothing
    case file
    case folder

    init(at path: String) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        switch attributes?[.type] as? FileAttributeType {
        case nil: self = .nothing
        case .typeDirectory?: self = .folder
        default: self = .file
        }
    }
}

extension SQLiteError: EngineError {
    package var openingFailure: StoreError.Code {
        switch primaryCode {
        case 5, 6: .busy
        case 11, 26: .corrupt
        default: .cannotOpen
        }
    }

    package func openingProblem(_ path: String) -> StoreError? {
        StoreError(self, in: .opening, path)
    }
}

extension SQLiteError: LocalizedError {
    /// SQLite's message and code, without values.
    public var errorDescription: String? { "SQLite error \(code): \(message)" }
    /// The statement, if there was one.
    public var failureReason: String? {
        sql.map { "In the statement: \($0.excerpt(2_000))" } ?? "SQLite has refused a call."
    }
    /// The remedy.
    public var recoverySuggestion: String? {
        switch primaryCode {
        case 5, 6: "Close the other program, or try again later."
        case 8, 14, 23: "See that the program may read and write the file and its folder."
        case 9: "Run the operation again."
        case 10: "See that the disk is available and works, and try again."
        case 11, 26: "Restore a backup of the file."
        case 13: "Make room on the disk, and try again."
        case 19: "Correct the values that violate the constraint."
        default: "Look up the code at https://sqlite.org/rescode.html."
        }
    }
}

/// The operation on the file of a store, for error messages.
struct StoreUse: Sendable {
    enum Operation: String, Sendable {
        case opening = "open"
        case reading = "read"
        case writing = "write"
    }

    let operation: Operation
    /// The path of the file.
    let path: String
    /// The hash of the version of the model that the store was opened with.
    let versionHash: String
}

/// Translates SQLite's message into the violated constraint of the model, so that the error is the
/// same as that of a failed validation.
enum ConstraintFailure {
    /// SQLite's code for all constraint errors.
    static let primaryCode: Int32 = 19
    private static let check: Int32 = 275
    private static let foreignKey: Int32 = 787
    private static let notNull: Int32 = 1299
    private static let unique: Int32 = 2067
    private static let primaryKey: Int32 = 1555

    /// The error of a commit with a dangling key.
    static var danglingKey: SQLiteError {
        SQLiteError(code: foreignKey, message: "FOREIGN KEY constraint failed")
    }

    static func isUnique(_ error: SQLiteError) -> Bool { error.code == unique }

    /// Whether a row with the key exists already.
    static func isPrimaryKey(_ error: SQLiteError) -> Bool { error.code == primaryKey }

    static func isForeignKey(_ error: SQLiteError) -> Bool { error.code == foreignKey }

    /// Returns the error for the program.
    static func error(for error: SQLiteError, in model: ModelDescription) -> any Error {
        validationError(for: error, in: model) ?? error
    }

    private static func validationError(
        for error: SQLiteError, in model: ModelDescription
    ) -> ValidationError? {
        // "CHECK constraint failed: Product.price.min", "UNIQUE constraint failed: Product.sku"
        let subject = error.message.firstIndex(of: ":").map {
            String(error.message[$0...].dropFirst(2))
        }
        switch error.code {
        case check:
            guard let name = subject.flatMap({ ConstraintName($0) }) else { return nil }
            if case .unique = name { return nil }
            return ValidationError(breaking: name, of: model, error)
        case unique:
            return subject.map { uniqueError($0, error, model) }
        case notNull:
            guard let name = model.model.constraint(failedWith: error.message),
                case .property = name
            else { return nil }
            return ValidationError(breaking: name, of: model, error)
        case foreignKey:
            return .danglingKey(error)
        default:
            return nil
        }
    }

    private static func uniqueError(
        _ subject: String, _ error: SQLiteError, _ model: ModelDescription
    ) -> ValidationError {
        // Either `index 'name'` or a list of `table.column`.
        if let name = model.model.constraint(failedWith: error.message), case .unique = name {
            return ValidationError(breaking: name, of: model, error)
        }
        let columns = subject.split(separator: ", ").compactMap { split(String($0)) }
        let entity = columns.first?.table ?? subject
        let properties = columns.map(\.column)
        return ValidationError(
            breaking: .unique(
                entity: entity, properties: properties.isEmpty ? [subject] : properties),
            of: model, error)
    }

    private static func split(_ name: String) -> (table: String, column: String)? {
        guard let dot = name.firstIndex(of: ".") else { return nil }
        return (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }
}
