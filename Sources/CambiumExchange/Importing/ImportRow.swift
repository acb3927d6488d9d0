import CambiumRecords

/// A row of an import.
struct ImportRow {
    /// The destinations of a relationship in a row.
    struct Link {
        /// The relationship's number in the plan.
        let relationship: Int
        /// The keys of the destinations.
        let keys: [ExchangeKey]
    }

    /// A problem with the row.
    struct Problem {
        let line: Int
        let column: Int?
        let field: String?
        let message: String
        var underlying: (any Error)?
    }

    let line: Int
    /// The number of its plan among the plans of the source.
    let plan: Int
    /// The bytes that it was made of.
    let source: Range<Int>
    var placed: PlacedRecord
    /// The slots that it sets.
    var slots: SlotSet
    let links: [Link]
    let problems: [Problem]
}

/// Builds rows of one entity.
final class ImportRowBuilder {
    let plan: ExchangePlan
    /// The number of the plan among the plans of the source.
    private let number: Int
    private var writer = RecordWriter()
    private let check: BatchRowCheck
    /// The current date, for attributes with that default.
    private let now = Date()
    private var placed: PlacedRecord
    private var slots = SlotSet()
    private var links: [ImportRow.Link] = []
    private var problems: [ImportRow.Problem] = []
    private var line = 0

    init(_ plan: ExchangePlan, _ number: Int) {
        self.plan = plan
        self.number = number
        placed = plan.entity.template
        check = BatchRowCheck(
            plan.entity, plan.entity.storedSlots, plan.dates.kept, largestValue: plan.largestValue)
    }

    /// Begins a page for the records of the rows that follow.
    func beginSlice() {
        writer = RecordWriter()
    }

    /// Begins a row with the model's defaults.
    func begin(line: Int) throws {
        self.line = line
        placed = try plan.entity.makeRecord(
            by: writer, at: now, keeping: plan.dates.kept)
        slots = SlotSet()
        links.removeAll(keepingCapacity: true)
        problems.removeAll(keepingCapacity: true)
    }

    /// Sets an attribute.
    func set(_ value: StoredValue, _ attribute: ExchangeAttribute) throws {
        if case .null = value, attribute.isRequired { throw FieldProblem.required }
        writer.set(value, attribute.slot, of: &placed, plan.entity.shape)
        slots.insert(attribute.slot)
    }

    /// Sets the keys of the destinations of a relationship.
    func link(_ relationship: Int, to keys: [ExchangeKey]) throws {
        if keys.isEmpty, plan.relationships[relationship].isRequired {
            throw FieldProblem.required
        }
        links.append(ImportRow.Link(relationship: relationship, keys: keys))
    }

    /// Records a problem with a field.
    func fail(_ field: String, line: Int? = nil, column: Int? = nil, _ problem: FieldProblem) {
        problems.append(
            ImportRow.Problem(
                line: line ?? self.line, column: column, field: field,
                message: "\(field) \(problem.message)"))
    }

    /// Records a problem with the row.
    func fail(line: Int? = nil, column: Int? = nil, _ message: String) {
        problems.append(
            ImportRow.Problem(
                line: line ?? self.line, column: column, field: nil, message: message))
    }

    /// Ends the row.
    func finish(_ source: Range<Int>) -> ImportRow {
        if problems.isEmpty, let error = check.error(in: placed.record) {
            problems.append(
                ImportRow.Problem(
                    line: line, column: nil, field: error.property.map(plan.field),
                    message: error.message, underlying: error))
        }
        return ImportRow(
            line: line, plan: number, source: source, placed: placed, slots: slots, links: links,
            problems: problems)
    }
}

/// Reads rows out of the records of one format.
protocol ImportRowReader: AnyObject {
    /// Fields that no property has.
    var ignoredFields: [String] { get }

    /// Starts new memory for the rows that follow, independent of the rows before.
    func beginSlice()

    /// The row of a record; nil if the record is not a row, such as the names of the columns.
    ///
    /// - Throws: ``InputError`` if the input cannot be parsed.
    func row(_ entry: RecordBlock.Entry, of block: RecordBlock) throws -> ImportRow?
}

/// Counts the imported rows and collects the errors.
final class ImportLog {
    private(set) var result = ImportResult()
    private let request: ImportRequest
    private let sources: [ExchangePlans]

    init(_ request: ImportRequest, _ sources: [ExchangePlans]) {
        self.request = request
        self.sources = sources
    }

    /// Counts the outcome of a row.
    func count(_ outcome: BatchRowOutcome) {
        switch outcome {
        case .inserted: result.inserted += 1
        case .updated: result.updated += 1
        case .skipped: result.skipped += 1
        }
    }

    /// Records that an input cannot be read any further.
    func add(_ error: InputError, source: Int) throws {
        try add(
            ImportRow.Problem(
                line: error.line, column: error.column, field: nil, message: error.message),
            source: source)
    }

    /// Records that the store, or a rule, rejects a row.
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

    /// Records an error.
    ///
    /// - Throws: The error, if the import stops at errors.
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
