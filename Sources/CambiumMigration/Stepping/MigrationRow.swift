import CambiumModel
import CambiumSQL

/// A row of an entity in one version of a model: a value, no object. It is a copy of what was read;
/// nothing is written by changing it, see ``MigrationContext/update(_:_:)``.
///
/// Generated code conforms to this, no other does.
public protocol MigrationRow: Sendable {
    /// The version that has the entity.
    associatedtype Version: MigrationVersion

    /// Where the rows are.
    @_spi(Generated) static var layout: RowLayout { get }
    /// The values.
    @_spi(Generated) var storage: RowStorage { get set }
    /// Makes a row of values.
    @_spi(Generated) init(storage: RowStorage)
}

/// A row of an entity that a step may insert, change and delete in the new version.
public protocol WritableMigrationRow: MigrationRow {}

extension MigrationRow {
    /// The object that the row was read for; nil before the row was inserted.
    public var rowID: RowID<Self>? { storage.key.map { RowID(key: $0) } }
}

/// Names an object in one version of a model. An object of the new version need not have the number
/// of the object that it was: ``MigrationContext/newID(of:as:)`` tells.
public struct RowID<Row: MigrationRow>: Sendable, Hashable {
    /// The object's number among those of its root entity.
    public let key: Int64

    /// Names the object with a number.
    public init(key: Int64) {
        self.key = key
    }

    /// The same object as one of another entity of the version: of the entity that this one
    /// inherits from, or of one that inherits from it. Whether there is such an object,
    /// ``MigrationContext/row(_:)`` tells.
    public func `as`<Other: MigrationRow>(_ type: Other.Type) -> RowID<Other>
    where Other.Version == Row.Version {
        RowID<Other>(key: key)
    }
}

extension RowID: CustomStringConvertible {
    /// The entity and the number.
    public var description: String { "\(Row.layout.entity) \(key)" }
}

/// A version of a model, as a step of the program sees it: the namespace of the rows of its
/// entities, such as `Shop.Version1`. Generated for the versions that a step lies between.
public protocol MigrationVersion: Sendable {
    /// The version's name.
    static var versionName: String { get }
}

/// A step of a migration that the program does itself. Made by generated code of what the program
/// supplies.
@_spi(Generated)
public struct CodeStep: Sendable {
    /// The version that the migration starts from.
    let from: String
    /// The step's name.
    let name: String
    let body: @Sendable (StepRun) throws -> Void

    /// A step.
    ///
    /// - Parameter body: Does it, in the migration's transaction.
    public init<Old: MigrationVersion, New: MigrationVersion>(
        _ name: String, from: Old.Type, to: New.Type,
        _ body: @escaping @Sendable (MigrationContext<Old, New>) throws -> Void
    ) {
        self.from = from.versionName
        self.name = name
        self.body = { run in try body(MigrationContext(run)) }
    }

    /// One that knows the store and no types: what stands in for the program in a proof.
    init(_ name: String, from: String, _ body: @escaping @Sendable (StepRun) throws -> Void) {
        self.from = from
        self.name = name
        self.body = body
    }
}

/// A type of values that a ``MigrationRow`` has. The conformances are those of the model language's
/// types.
public protocol RowValue {
    /// What a missing value reads as.
    static var emptyRowValue: Self { get }
    /// The value of a stored form; nil where there is none, or one of another type.
    init?(rowForm stored: StoredValue)
    /// The form in which the store has it.
    var rowForm: StoredValue { get }
}

extension Bool: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Bool { false }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self = value != 0
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .integer(self ? 1 : 0) }
}

extension RowValue where Self: FixedWidthInteger {
    /// What a missing value reads as.
    public static var emptyRowValue: Self { 0 }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self.init(exactly: value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .integer(Int64(self)) }
}

extension Int16: RowValue {}
extension Int32: RowValue {}
extension Int64: RowValue {}

extension Double: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Double { 0 }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self = value
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .real(self) }
}

extension Float: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Float { 0 }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self = Float(value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .real(Double(self)) }
}

extension String: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: String { "" }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .text(let value) = stored else { return nil }
        self = value
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .text(self) }
}

extension Data: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Data { Data() }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored else { return nil }
        self = value
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .blob(self) }
}

extension Date: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .real(let value) = stored else { return nil }
        self.init(timeIntervalSinceReferenceDate: value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .real(timeIntervalSinceReferenceDate) }
}

extension Duration: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Duration { .zero }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self = .nanoseconds(value)
    }
    /// The form in which the store has it; null of more than 292 years.
    public var rowForm: StoredValue {
        DurationStorage.nanoseconds(of: self).map { .integer($0) } ?? .null
    }
}

extension UUID: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored else { return nil }
        self.init(bytes: value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue {
        .blob(withUnsafeBytes(of: uuid) { Data($0) })
    }
}

extension URL: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: URL {
        URL(string: "about:blank") ?? URL(fileURLWithPath: "/")
    }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .text(let value) = stored else { return nil }
        self.init(string: value)
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue { .text(absoluteString) }
}

extension Decimal: RowValue {
    /// What a missing value reads as.
    public static var emptyRowValue: Decimal { 0 }
    /// The value of a stored form, or nil.
    public init?(rowForm stored: StoredValue) {
        guard case .blob(let value) = stored, let decimal = OrderedDecimal.decimal(of: value)
        else { return nil }
        self = decimal
    }
    /// The form in which the store has it.
    public var rowForm: StoredValue {
        OrderedDecimal.bytes(of: self).map { .blob($0) } ?? .null
    }
}

/// The values of a row in the form in which the store has them. Used by generated code.
@_spi(Generated)
public struct RowStorage: Sendable {
    var key: Int64?
    var values: [StoredValue]
    /// The files of large values.
    var files: StepFiles?
    /// The places of values that were set and are none of their type.
    private(set) var unfit: Set<Int> = []

    /// A row without values.
    public init(count: Int) {
        values = Array(repeating: .null, count: count)
    }

    init(_ row: [StoredValue], files: StepFiles?) {
        if case .integer(let key)? = row.first { self.key = key }
        values = Array(row.dropFirst())
        self.files = files
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

    /// A value that may lie in a file. Reads the file.
    public func external(_ index: Int) -> Data? {
        guard case .blob(let form) = value(index), let mark = form.first else { return nil }
        let rest = form.dropFirst()
        guard mark == ExternalForm.file else { return Data(rest) }
        return files?.value(String(decoding: rest, as: UTF8.self))
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
    let batch: String
    let one: String
    let count: String
    let insertion: String
    let update: String
    let deletion: String
    /// Whether steps may write the rows.
    let isWritable: Bool

    /// - Parameter isNew: Whether the rows are those of the new version.
    init(_ layout: RowLayout, isNew: Bool, in run: StepRun) {
        let working = isNew ? run.workingTable(layout.root) : nil
        isWritable = working != nil
        let table = working ?? (isNew ? run.newTable(layout.root) : run.oldTable(layout.root))
        let sql = layout.sql(in: table)
        (batch, one, count) = (sql.batch, sql.one, sql.count)
        (insertion, update, deletion) = (sql.insertion, sql.update, sql.deletion)
    }
}
