import CambiumModel
import CambiumSQL

/// The values of a row in their stored form. Used by generated code.
@_spi(Generated)
public struct RowStorage: Sendable {
    var key: Int64?
    var values: [StoredValue]
    /// The large values that the row may reference.
    private var largeValues: LargeValues?
    /// The indexes of values that were set and do not fit their columns.
    private(set) var unfit: Set<Int> = []

    /// Creates a row without values.
    public init(count: Int) {
        values = Array(repeating: .null, count: count)
    }

    init(_ row: [StoredValue], _ largeValues: LargeValues?) {
        if case .integer(let key)? = row.first { self.key = key }
        values = Array(row.dropFirst())
        self.largeValues = largeValues
    }

    private func value(_ index: Int) -> StoredValue {
        index < values.count ? values[index] : .null
    }

    /// Returns a value. A missing value is returned as the empty value of its type: zero, an empty
    /// string, or no data.
    public func get<Value: RowValue>(_ index: Int, _ type: Value.Type = Value.self) -> Value {
        Value(rowForm: value(index)) ?? Value.emptyRowValue
    }

    /// Returns a value, or nil.
    public func optional<Value: RowValue>(
        _ index: Int, _ type: Value.Type = Value.self
    ) -> Value? {
        Value(rowForm: value(index))
    }

    /// Sets a value.
    public mutating func set(_ index: Int, _ value: (some RowValue)?) {
        guard index < values.count else { return }
        values[index] = value?.rowForm ?? .null
        if value != nil, values[index] == .null { unfit.insert(index) } else { unfit.remove(index) }
    }

    // MARK: Decimals

    /// Returns a decimal number that is stored as an integer, in units of its last decimal place.
    public func decimal(_ index: Int, scale: Int) -> Decimal {
        optionalDecimal(index, scale: scale) ?? 0
    }

    /// Returns such a decimal number, or nil.
    public func optionalDecimal(_ index: Int, scale: Int) -> Decimal? {
        guard case .integer(let units) = value(index) else { return nil }
        return DecimalStorage.decimal(ofUnits: units, scale: scale)
    }

    /// Sets a decimal number. If it has more decimal places than the scale, it does not fit: the
    /// row cannot be written until another value is set.
    public mutating func setDecimal(_ index: Int, _ value: Decimal?, scale: Int) {
        guard index < values.count else { return }
        let units = value.flatMap { DecimalStorage.units(of: $0, scale: scale) }
        values[index] = units.map { .integer($0) } ?? .null
        if value != nil, units == nil { unfit.insert(index) } else { unfit.remove(index) }
    }

    // MARK: Large values

    /// Returns a value that may be stored outside of the row. Then it is read now.
    public func external(_ index: Int) -> Data? {
        guard case .blob(let form) = value(index), let mark = form.first else { return nil }
        let rest = form.dropFirst()
        guard mark == ExternalForm.file else { return Data(rest) }
        return largeValues?.value(String(decoding: rest, as: UTF8.self))
    }

    /// Sets a value. It is stored in the row.
    public mutating func setExternal(_ index: Int, _ value: Data?) {
        guard index < values.count else { return }
        values[index] = value.map { .blob([ExternalForm.inline] + $0) } ?? .null
    }

    // MARK: Links

    /// Returns the object that a link references. If the link is missing, the result has the number
    /// 0, which no object has.
    public func link<Row: MigrationRow>(_ index: Int, _ type: Row.Type = Row.self) -> RowID<Row> {
        optionalLink(index) ?? RowID(key: 0)
    }

    /// Returns the object that a link references, or nil.
    public func optionalLink<Row: MigrationRow>(
        _ index: Int, _ type: Row.Type = Row.self
    ) -> RowID<Row>? {
        optional(index, Int64.self).map { RowID(key: $0) }
    }

    /// Sets the object that a link references.
    public mutating func setLink<Row: MigrationRow>(_ index: Int, _ id: RowID<Row>?) {
        set(index, id?.key)
    }
}

/// The table and the columns of the rows of an entity. Created by generated code.
@_spi(Generated)
public struct RowLayout: Sendable {
    /// The entity.
    public let entity: String
    /// The root entity, whose table contains the rows.
    public let root: String
    /// The entity and its subentities; empty if the table contains objects of one entity only.
    public let family: [String]
    /// The columns of a row's values, in their order.
    public let columns: [String]

    /// Creates the layout of an entity's rows.
    public init(entity: String, root: String, family: [String] = [], columns: [String]) {
        self.entity = entity
        self.root = root
        self.family = family
        self.columns = columns
    }

    func sql(in table: String) -> StepRowSQL {
        StepRowSQL(
            table: table, columns: columns, entity: family.isEmpty ? nil : entity, family: family)
    }
}

/// The statements that read and write the rows of an entity, built once for each step.
struct RowStatements {
    /// The table of the rows.
    let table: String
    let batch: StepStatement
    let one: StepStatement
    let count: StepStatement
    let insertion: StepStatement
    let update: StepStatement
    let deletion: StepStatement
    /// Whether steps may write the rows.
    let isWritable: Bool

    /// - Parameter isNew: Whether the rows belong to the new version.
    init(_ layout: RowLayout, isNew: Bool, in run: StepRun) {
        let working = isNew ? run.workingTable(layout.root) : nil
        isWritable = working != nil
        table = working ?? (isNew ? run.newTable(layout.root) : run.oldTable(layout.root))
        let sql = layout.sql(in: table)
        (batch, one, count) = (sql.batch, sql.one, sql.count)
        (insertion, update, deletion) = (sql.insertion, sql.update, sql.deletion)
    }
}
