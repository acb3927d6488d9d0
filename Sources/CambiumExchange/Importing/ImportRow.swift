import CambiumRecords

/// A row of an import on its way from the file into the store.
struct ImportRow {
    /// What the row says of a relationship.
    struct Link {
        /// Its number in the plan.
        let relationship: Int
        /// What it leads to.
        let keys: [ExchangeKey]
    }

    /// What is wrong with it.
    struct Problem {
        let line: Int
        let column: Int?
        let field: String?
        let message: String
        var underlying: (any Error)?
    }

    let line: Int
    /// The number of its plan among those of the source.
    let plan: Int
    /// The bytes that it was made of.
    let source: Range<Int>
    var placed: PlacedRecord
    /// The slots that it sets.
    var slots: SlotSet
    let links: [Link]
    let problems: [Problem]
}

/// Puts rows of one entity together, one after the other.
final class ImportRowBuilder {
    let plan: ExchangePlan
    /// The number of the plan among those of the source.
    private let number: Int
    private var writer = RecordWriter()
    private let check: BatchRowCheck
    /// The moment that dates start at whose default is the present.
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
        check = BatchRowCheck(plan.entity, plan.entity.storedSlots)
    }

    /// Begins a page for the records of the rows that follow.
    func beginSlice() {
        writer = RecordWriter()
    }

    /// Begins a row with the model's defaults.
    func begin(line: Int) throws {
        self.line = line
        placed = try plan.entity.makeRecord(by: writer, at: now)
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

    /// Says where a relationship leads.
    func link(_ relationship: Int, to keys: [ExchangeKey]) throws {
        if keys.isEmpty, plan.relationships[relationship].isRequired {
            throw FieldProblem.required
        }
        links.append(ImportRow.Link(relationship: relationship, keys: keys))
    }

    /// Notes what is wrong with a field.
    func fail(_ field: String, line: Int? = nil, column: Int? = nil, _ problem: FieldProblem) {
        problems.append(
            ImportRow.Problem(
                line: line ?? self.line, column: column, field: field,
                message: "\(field) \(problem.message)"))
    }

    /// Notes what is wrong with the row.
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
