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

    /// Notes an error.
    ///
    /// - Throws: The error, where the import does not go on after one.
    func add(_ problem: ImportRow.Problem, source: Int) throws {
        try add(
            source: source, line: problem.line, column: problem.column, field: problem.field,
            problem.message, problem.underlying)
    }

    /// Notes that an input does not go on.
    func add(_ error: InputError, source: Int) throws {
        try add(
            source: source, line: error.line, column: error.column, field: nil,
            error.message, nil)
    }

    /// Notes that the store, or a rule, refuses a row.
    func add(_ error: any Error, _ plan: ExchangePlan, source: Int, line: Int) throws {
        guard let refused = error as? ValidationError else {
            let message = (error as? StoreError)?.message ?? "\(error)"
            return try add(source: source, line: line, column: nil, field: nil, message, error)
        }
        var message = refused.message
        if refused.code == .notUnique, request.mergePolicy == .error {
            message += " Set the import's merge policy to objectTrump to update that one."
        }
        try add(
            source: source, line: line, column: nil,
            field: refused.property.map(plan.field), message, refused)
    }

    private func add(
        source: Int, line: Int, column: Int?, field: String?, _ message: String,
        _ underlying: (any Error)?
    ) throws {
        let error = ImportError(
            source: source,
            sourceName: request.sources[source].input.name ?? sources[source].entity.name,
            line: line, column: column, field: field, message: message, underlying: underlying)
        if request.onError == .stop { throw error }
        result.errorCount += 1
        if result.errors.count < request.maximumErrors { result.errors.append(error) }
    }
}
