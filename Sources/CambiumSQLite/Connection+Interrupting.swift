import CSQLite
import CambiumRecords

extension Connection {
    /// Runs a body whose statements end with an error of SQLite's (`SQLITE_INTERRUPT`) soon after
    /// the end was asked for, also while SQLite is still sorting and no row has come; nil never asks.
    package func interruptible<Result>(
        by interruption: Interruption?, _ body: () throws -> Result
    ) rethrows -> Result {
        guard let interruption else { return try body() }
        return try asking(every: 2_000, { !interruption.isRequested }, body)
    }

    /// Runs a body that ends soon after its task was cancelled, also in the middle of a statement. Of a
    /// transaction nothing may be left then: who began it is to take it back.
    ///
    /// - Throws: `CancellationError` where the task was cancelled; else what the body throws.
    package func untilCancelled<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try interruptible(by: .ofTask, body)
            try Task.checkCancellation()
            return result
        } catch let error as SQLiteError where error.isInterruption && Task.isCancelled {
            throw CancellationError()
        }
    }

    /// Runs a body whose statements ask, as long as they run, whether to go on; where not, they end
    /// with an error of SQLite's (`SQLITE_INTERRUPT`).
    ///
    /// - Parameters:
    ///   - instructions: About how many instructions of SQLite's lie between two questions; ten
    ///     thousand take a fraction of a millisecond.
    ///   - goesOn: The question.
    package func asking<Result>(
        every instructions: Int32, _ goesOn: () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        try withoutActuallyEscaping(goesOn) { goesOn in
            let question = Question(goesOn)
            // Safety: the question outlives the body, after which SQLite forgets it.
            let context = Unmanaged.passUnretained(question).toOpaque()
            sqlite3_progress_handler(
                handle, instructions,
                { context in
                    guard let context else { return 0 }
                    let question = Unmanaged<Question>.fromOpaque(context).takeUnretainedValue()
                    return question.goesOn() ? 0 : 1
                }, context)
            // A function of ours that takes long asks too.
            functions.isInterrupted = { !goesOn() }
            defer {
                sqlite3_progress_handler(handle, 0, nil, nil)
                functions.isInterrupted = nil
            }
            return try withExtendedLifetime(question) { try body() }
        }
    }
}

/// What SQLite asks a connection's user while a statement runs.
private final class Question {
    let goesOn: () -> Bool

    init(_ goesOn: @escaping () -> Bool) {
        self.goesOn = goesOn
    }
}
