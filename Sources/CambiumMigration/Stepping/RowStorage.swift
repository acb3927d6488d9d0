import CambiumModel
import CambiumSQL

/// The values of a row in the form in which the store has them. Used by generated code.
@_spi(Generated)
public struct RowStorage: Sendable {
    var key: Int64?
    var values: [StoredValue]
    /// The large values that it may reference.
    private var largeValues: LargeValues?
    /// The places of values that were set and are none of their type.
    private(set) var unfit: Set<Int> = []

    /// A row without values.
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

    /// A value; what is missing reads as nothing of its type: zero, an empty text, no data.
    public func get<Value: RowValue>(_ index: Int, _ type: Value.Type = Value.self) -> Value {
        Value(rowForm: value(index)) ?? Value.emptyRowValue
    }

    /// A value, or nil.
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

    /// A decimal number that is kept in units of its last place.
    public func decimal(_ index: Int, scale: Int) -> Decimal {
        optionalDecimal(index, scale: scale) ?? 0
    }

    /// The same, or nil.
    public func optionalDecimal(_ index: Int, scale: Int) -> Decimal? {
        guard case .integer(let units) = value(index) else { return nil }
        return DecimalStorage.decimal(ofUnits: units, scale: scale)
    }

    /// Sets a decimal number. One with more places than the scale has does not fit: the row can be
    /// written no more, until it has another.
    public mutating func setDecimal(_ index: Int, _ value: Decimal?, scale: Int) {
        guard index < values.count else { return }
        let units = value.flatMap { DecimalStorage.units(of: $0, scale: scale) }
        values[index] = units.map { .integer($0) } ?? .null
        if value != nil, units == nil { unfit.insert(index) } else { unfit.remove(index) }
    }

    // MARK: Large values

    /// A value that may lie beside the row. Reads it then.
    public func external(_ index: Int) -> Data? {
        guard case .blob(let form) = value(index), let mark = form.first else { return nil }
        let rest = form.dropFirst()
        guard mark == ExternalForm.file else { return Data(rest) }
        return largeValues?.value(String(decoding: rest, as: UTF8.self))
    }

    /// Sets a value, which is in the row from now on.
    public mutating func setExternal(_ index: Int, _ value: Data?) {
        guard index < values.count else { return }
        values[index] = value.map { .blob([ExternalForm.inline] + $0) } ?? .null
    }

    // MARK: Links

    /// What a link references; the object with the number 0, which there never is, where it is
    /// missing.
    public func link<Row: MigrationRow>(_ index: Int, _ type: Row.Type = Row.self) -> RowID<Row> {
        optionalLink(index) ?? RowID(key: 0)
    }

    /// What a link references, or nil.
    public func optionalLink<Row: MigrationRow>(
        _ index: Int, _ type: Row.Type = Row.self
    ) -> RowID<Row>? {
        optional(index, Int64.self).map { RowID(key: $0) }
    }

    /// Sets what a link references.
    public mutating func setLink<Row: MigrationRow>(_ index: Int, _ id: RowID<Row>?) {
        set(index, id?.key)
    }
}

/// Where the rows of an entity are. Made by generated code.
@_spi(Generated)
public struct RowLayout: Sendable {
    /// The entity.
    public let entity: String
    /// Its root entity, whose table has the rows.
    public let root: String
    /// The entity and those that inherit from it; empty where the table has objects of one only.
    public let family: [String]
    /// The columns of a row's values, in their order.
    public let columns: [String]

    /// Describes the rows of an entity.
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

/// The statements that read and write the rows of an entity, put together once for each step.
struct RowStatements {
    /// The table that has the rows.
    let table: String
    let batch: StepStatement
    let one: StepStatement
    let count: StepStatement
    let insertion: StepStatement
    let update: StepStatement
    let deletion: StepStatement
    /// Whether steps may write the rows.
    let isWritable: Bool

    /// - Parameter isNew: Whether the rows are those of the new version.
    init(_ layout: RowLayout, isNew: Bool, in run: StepRun) {
        let working = isNew ? run.workingTable(layout.root) : nil
        isWritable = working != nil
        table = working ?? (isNew ? run.newTable(layout.root) : run.oldTable(layout.root))
        let sql = layout.sql(in: table)
        (batch, one, count) = (sql.batch, sql.one, sql.count)
        (insertion, update, deletion) = (sql.insertion, sql.update, sql.deletion)
    }
}
