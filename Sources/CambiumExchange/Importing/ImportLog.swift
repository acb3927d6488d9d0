/// Counts what an import does, and collects what goes wrong.
final class ImportLog {
    private(set) var result = ImportResult()
    private let request: ImportRequest
    private let sources: [ExchangePlans]

    init(_ request: ImportRequest, _ sources: [ExchangePlans]) {
        self.request = request
        self.sources = sources
    }

    /// Counts what became of a row.
    func count(_ outcome: BatchRowOutcome) {
        switch outcome {
        case .inserted: result.inserted += 1
        case .updated: result.updated += 1
        case .leftOut: result.skipped += 1
        }
    }

    /// Notes that an input does not go on.
    func add(_ error: InputError, source: Int) throws {
        try add(
            ImportRow.Problem(
                line: error.line, column: error.column, field: nil, message: error.message),
            source: source)
    }

    /// Notes that the store, or a rule, refuses a row.
    func add(_ error: any Error, _ plan: ExchangePlan, source: Int, line: Int) throws {
        let refused = error as? ValidationError
        var message = refused?.message ?? (error as? StoreError)?.message ?? "\(error)"
        if refused?.code == .notUnique, request.mergePolicy == .error {
            message += " Set the import's merge policy to objectTrump to update that one."
        }
        try add(
            ImportRow.Problem(
                line: line, column: nil, field: refused?.property.map(plan.field),
                message: message, underlying: error),
            source: source)
    }

    /// Notes an error.
    ///
    /// - Throws: The error, where the import does not go on after one.
    func add(_ problem: ImportRow.Problem, source: Int) throws {
        let error = ImportError(
            source: source,
            sourceName: request.sources[source].input.name ?? sources[source].entity.name,
            line: problem.line, column: problem.column, field: problem.field,
            message: problem.message, underlying: problem.underlying)
        if request.onError == .stop { throw error }
        result.errorCount += 1
        if result.errors.count < request.maximumErrors { result.errors.append(error) }
    }
}
