/// A step of the program has failed, or has left rows that the new version does not take. The whole
/// migration is undone: the store is as it was.
public struct MigrationStepError: Error, Sendable, CustomStringConvertible {
    /// The step.
    public let step: String
    /// The entity of the row that it was about, where it was about one.
    public let entity: String?
    /// The number of the row's object among those of its root entity.
    public let row: Int64?
    /// Why it failed: what the step threw, or the store's answer.
    public let underlying: any Error

    package init(step: String, entity: String? = nil, row: Int64? = nil, _ error: any Error) {
        self.step = step
        self.entity = entity
        self.row = row
        underlying = error
    }

    /// The step, the row and the reason.
    public var description: String {
        let place = entity.map { entity in
            " at \(entity)" + (row.map { " \($0)" } ?? "")
        }
        return "The step \(step) failed\(place ?? ""): \(underlying). The store is as it was"
    }
}

/// A mistake in a step of the program.
public enum MigrationStepMistake: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such object.
    case noRow(entity: String, row: Int64)
    /// An old object was asked for, and none of the new version is what it was.
    case noSuccessor(entity: String, row: Int64, successor: String)
    /// The row leaves a value out that every object must have.
    case missingValue(entity: String, row: Int64, constraint: String)
    /// Two objects are equal in what no two may be equal in: these columns. Their numbers, where they
    /// were found.
    case notUnique(entity: String, columns: [String], rows: [Int64])
    /// A value does not fit the column: a decimal number has more places than its scale.
    case unfitValue(entity: String, column: String)
    /// A text that was set has a NUL character in it.
    case nulInText(entity: String, column: String)
    /// The step may not write objects of the entity.
    case notWritable(entity: String)

    /// What is wrong, and the remedy.
    public var description: String { remedy.map { "\(problem): \($0)" } ?? problem }

    /// What is wrong, without a full stop.
    package var problem: String {
        switch self {
        case .noRow(let entity, let row): "There is no \(entity) \(row)"
        case .noSuccessor(let entity, let row, let successor):
            "\(entity) \(row) has not become a \(successor)"
        case .missingValue(let entity, let row, let constraint):
            "\(entity) \(row) is not as the new version wants it: \(constraint)"
        case .notUnique(let entity, let columns, let rows):
            "Two \(entity) "
                + (rows.isEmpty ? "" : "(\(rows.map(String.init).joined(separator: " and "))) ")
                + "have the same \(columns.joined(separator: ", ")), which is unique in the new "
                + "version"
        case .unfitValue(let entity, let column):
            "A value of \(entity).\(column) has more places than the attribute's scale"
        case .nulInText(let entity, let column):
            "The string for \(entity).\(column) holds a NUL character, which a string cannot keep"
        case .notWritable(let entity):
            "The step may not write \(entity)"
        }
    }

    /// What to do about it in the step, without a capital letter and a full stop; nil where the
    /// problem says it all.
    package var remedy: String? {
        switch self {
        case .noRow, .missingValue: nil
        case .noSuccessor: "insert one, and note it with replace(_:with:)"
        case .notUnique: "let one stay, in the step or by <deduplicate>"
        case .unfitValue: "round it"
        case .nulInText: "remove it, or end the string there"
        case .notWritable: "name the entity in its 'entities'"
        }
    }
}
