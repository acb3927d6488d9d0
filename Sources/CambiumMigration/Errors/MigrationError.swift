import CambiumModel
import CambiumSQLite

/// An error that prevented the migration of a store to the program's version of the model. The
/// store is unchanged.
///
/// ## Topics
///
/// ### Versions
///
/// - ``newerVersion(store:program:)``
/// - ``unknownVersion(store:hash:known:)``
/// - ``noWayBack(store:target:)``
/// - ``otherModel(store:program:)``
/// - ``otherDraft(_:)``
/// - ``newerFormat(store:program:)``
/// - ``migrationIsOff(store:program:)``
/// - ``codeIsMissing(steps:)``
///
/// ### Data of the store
///
/// - ``refused(_:)``
/// - ``brokenLinks(table:count:object:)``
/// - ``storeIsDamaged(finding:)``
/// - ``notAStore``
///
/// ### Changes of other programs
///
/// - ``storeDiffers(_:)``
/// - ``columnsHaveNoPlace(_:)``
/// - ``externalObjectsInTheWay(_:)``
/// - ``objectsAreNotTrusted(_:)``
///
/// ### Failed and cancelled migrations
///
/// - ``backupFailed(path:_:)``
/// - ``backupOfFilesFailed(path:reason:)``
/// - ``statementFailed(step:_:)``
/// - ``cancelled``
///
/// ### Description and code
///
/// - ``description``
/// - ``coreDataCode``
///
/// ### Comparison
///
/// - ``==(_:_:)``
/// - ``hash(into:)``
public indirect enum MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file is an SQLite database, but not a store of Cambium.
    case notAStore
    /// The store belongs to another model.
    case otherModel(store: String, program: String)
    /// The store has the file format of a later version of Cambium.
    case newerFormat(store: String, program: String)
    /// A later version of the program wrote the store.
    case newerVersion(store: String, program: String)
    /// The store has a known version after the target version. There are no migrations back.
    case noWayBack(store: String, target: String)
    /// The program has no migration from the store's version.
    case unknownVersion(store: String, hash: String, known: [String])
    /// The store was written with another draft of the program's version or of an earlier version,
    /// and the policy for such stores (``DraftPolicy``) does not allow opening it.
    case otherDraft(OtherDraft)
    /// The store's data violates a constraint of the new version.
    case refused(MigrationRefusal)
    /// A statement failed.
    case statementFailed(step: String, SQLiteError)
    /// The file is damaged, and the migration cannot read what it needs. `finding` is SQLite's
    /// message.
    case storeIsDamaged(finding: String)
    /// Links of the table reference objects that do not exist. `object` is the number of the first
    /// object with such a link; nil if the links have a table of their own.
    case brokenLinks(table: String, count: Int, object: Int64?)
    /// Tables or indexes differ from the store's version. See ``DriftPolicy`` for the handling of
    /// such stores.
    case storeDiffers([StoreDifference])
    /// Other programs have added columns to tables, and the migration moves their rows to other
    /// tables. So ``DriftPolicy/report`` cannot keep the columns.
    case columnsHaveNoPlace([StoreDifference])
    /// Tables, indexes, views or triggers of other programs conflict with the migration, or would
    /// not work with the new version. Nothing was changed.
    case externalObjectsInTheWay([ExternalObject])
    /// The store has tables, indexes, views or triggers of other programs, but it is opened with
    /// trust in the model's schema alone. Nothing was read or changed.
    case objectsAreNotTrusted([ExternalObject])
    /// The store could not be copied before data is deleted.
    case backupFailed(path: String, SQLiteError)
    /// The files of large values could not be copied for the backup. Nothing was changed.
    case backupOfFilesFailed(path: String, reason: String)
    /// The store has another version, and was opened with automatic migration off.
    case migrationIsOff(store: String, program: String)
    /// The migration to the program's version has custom steps, and the program that opens the
    /// store does not supply them.
    case codeIsMissing(steps: [String])
    /// The program cancelled the migration.
    case cancelled

    /// The name of the case with its associated strings, and the other associated values.
    private var identity: (words: [String], rest: AnyHashable?) {
        switch self {
        case .notAStore: (["notAStore"], nil)
        case .otherModel(let store, let program): (["otherModel", store, program], nil)
        case .newerFormat(let store, let program): (["newerFormat", store, program], nil)
        case .newerVersion(let store, let program): (["newerVersion", store, program], nil)
        case .noWayBack(let store, let target): (["noWayBack", store, target], nil)
        case .unknownVersion(let store, let hash, let known):
            (["unknownVersion", store, hash] + known, nil)
        case .otherDraft(let draft): (["otherDraft"], draft)
        case .refused(let refusal): (["refused"], refusal)
        case .statementFailed(let step, let error): (["statementFailed", step], error)
        case .storeIsDamaged(let finding): (["storeIsDamaged", finding], nil)
        case .brokenLinks(let table, let count, let object):
            (["brokenLinks", table, "\(count)"], object)
        case .storeDiffers(let differences): (["storeDiffers"], differences)
        case .columnsHaveNoPlace(let differences): (["columnsHaveNoPlace"], differences)
        case .externalObjectsInTheWay(let objects): (["externalObjectsInTheWay"], objects)
        case .objectsAreNotTrusted(let objects): (["objectsAreNotTrusted"], objects)
        case .backupFailed(let path, let error): (["backupFailed", path], error)
        case .backupOfFilesFailed(let path, let reason):
            (["backupOfFilesFailed", path, reason], nil)
        case .migrationIsOff(let store, let program): (["migrationIsOff", store, program], nil)
        case .codeIsMissing(let steps): (["codeIsMissing"] + steps, nil)
        case .cancelled: (["cancelled"], nil)
        }
    }

    /// Returns whether both are the same case with equal associated values.
    public static func == (one: MigrationError, other: MigrationError) -> Bool {
        one.identity == other.identity
    }

    /// Hashes the case and its associated values.
    public func hash(into hasher: inout Hasher) {
        let identity = identity
        hasher.combine(identity.words)
        hasher.combine(identity.rest)
    }

    /// The code of the most similar Core Data error, for ported code.
    public var coreDataCode: Int {
        switch self {
        case .notAStore, .storeIsDamaged: 259
        case .otherModel, .storeDiffers, .columnsHaveNoPlace, .externalObjectsInTheWay,
            .objectsAreNotTrusted:
            134020
        case .newerFormat, .newerVersion, .noWayBack: 134506
        case .otherDraft(let draft) where draft.refusal != nil: 134111
        case .unknownVersion, .otherDraft: 134130
        case .refused: 134111
        case .statementFailed, .brokenLinks, .backupFailed, .backupOfFilesFailed: 134110
        case .migrationIsOff, .codeIsMissing: 134100
        case .cancelled: 134120
        }
    }

    /// The problem and the remedy.
    public var description: String {
        remedy.map { "\(problem)\(problem.hasSuffix(".") ? "" : ".") \($0)" } ?? problem
    }

    /// The problem, without a full stop at the end.
    package var problem: String {
        switch self {
        case .notAStore:
            "The file is an SQLite database, but not a Cambium store: it has no metadata of a "
                + "model"
        case .otherModel(let store, let program):
            "The store belongs to the model \(store.excerpt()), but the program opens it with "
                + program
        case .newerFormat(let store, let program):
            "The store has file format \(store.excerpt()), but this program's Cambium knows "
                + "formats up to \(program)"
        case .newerVersion(let store, let program):
            "The store was written by version \(store.excerpt()) of the model, but this program "
                + "has version \(program)"
        case .noWayBack(let store, let target):
            "The store has version \(store.excerpt()), which comes after \(target), and there "
                + "is no migration back"
        case .unknownVersion(let store, let hash, let known):
            "The store was written by version \(store.excerpt()) of the model (hash "
                + "\(hash.excerpt())); this program knows \(known.joined(separator: ", "))"
        case .otherDraft(let draft):
            draft.problem
        case .refused(let refusal):
            Self.problem(of: refusal, "\(refusal)")
        case .statementFailed(let step, let error):
            "The migration failed in the step: \(step). \(error). The store is unchanged"
        case .storeIsDamaged(let finding):
            "The file is damaged (\(finding)). It is unchanged"
        case .brokenLinks(let table, let count, let object):
            (count == 1
                ? "A link of \(table) references an object that does not exist"
                : "\(count) links of \(table) reference objects that do not exist")
                + (object.map { " (object \($0) has \(count == 1 ? "it" : "the first"))" } ?? "")
                + ", which another program must have deleted. The store is unchanged"
        case .storeDiffers(let differences):
            "Tables or indexes differ from the store's version: \(differences.list). Another "
                + "program must have changed them"
        case .columnsHaveNoPlace(let differences):
            "The migration would delete columns that another program has added: "
                + differences.list
        case .externalObjectsInTheWay(let objects):
            "External objects conflict with the migration, and nothing "
                + "was changed: \(objects.words)"
        case .objectsAreNotTrusted(let objects):
            "The store has external objects, and is opened with trust in the model's schema "
                + "alone: \(objects.words)"
        case .backupFailed(let path, let error):
            "The store could not be copied to \(path) before its migration. \(error)"
        case .backupOfFilesFailed(let path, let reason):
            "The files of large values could not be copied for \(path) before the migration of "
                + "the store. \(reason)"
        case .migrationIsOff(let store, let program):
            "The store was written by version \(store.excerpt()) of the model, this program has "
                + "version \(program), and automatic migration is off"
        case .codeIsMissing(let steps):
            "The migration to the program's version has steps of the program, which are not supplied "
                + "here: \(steps.joined(separator: ", "))"
        case .cancelled:
            "The migration was cancelled. The store is unchanged"
        }
    }

    /// The remedy, without a full stop at the end; nil if the problem contains the remedy.
    package var remedy: String? {
        switch self {
        case .notAStore: "Open another file, or a new one"
        case .otherModel: "Open the program's own store, or a new one"
        case .newerFormat, .newerVersion: "Update the program"
        case .noWayBack(let store, _):
            "Name \(store.excerpt()) or a later version as the target, or no target"
        case .unknownVersion(let store, _, let known)
        where known.contains { $0.hasPrefix("\(store) (") }:
            "If version \(store.excerpt()) has shipped, put its file back and add a new version. If it "
                + "is still in development, delete the store, or drop its schema on a server"
        case .unknownVersion:
            "Was a version changed after it had shipped? Put its file back and add a new one. If a "
                + "later program has written the store, update this one"
        case .otherDraft(let draft): draft.remedy
        case .refused: Self.remedyOfRefusal
        case .statementFailed(_, let error):
            error.primaryCode == 13 ? "Make room, and open the store again" : nil
        case .storeIsDamaged:
            "Put a copy from before in its place, or save what can still be read with sqlite3: "
                + ".recover"
        case .brokenLinks: "Set the key to NULL, or delete the row"
        case .storeDiffers(let differences):
            differences.remedy(
                repair: "the drift policy repair of the store's options",
                report: "the drift policy report")
        case .columnsHaveNoPlace:
            "Save their data elsewhere, or set the drift policy repair, which copies the "
                + "store first"
        case .backupFailed(let path, let error):
            error.remedyOfCopy(in: StoreFiles.folder(of: path))
        case .backupOfFilesFailed: "Make room, or move the existing file"
        case .migrationIsOff: "Switch it on in the store's options"
        case .codeIsMissing:
            "Open the store with the program, or migrate it with a MigrationCommand of the program"
        case .externalObjectsInTheWay, .objectsAreNotTrusted, .cancelled: nil
        }
    }

    /// Returns the error, or an error for a damaged file if that is the cause.
    func noticingDamage() -> MigrationError {
        switch self {
        case .statementFailed(let step, let error) where error.isDamage:
            .storeIsDamaged(finding: "\(error.message), found in the step: \(step)")
        case .backupFailed(_, let error) where error.isDamage:
            .storeIsDamaged(finding: "\(error.message), found while the store was copied")
        default: self
        }
    }

    package static func words(for refusal: MigrationRefusal, _ what: String) -> String {
        "\(problem(of: refusal, what)). \(remedyOfRefusal)"
    }

    private static func problem(of refusal: MigrationRefusal, _ what: String) -> String {
        "Existing data violates a constraint of the new version: \(what). The migration failed in the step: "
            + "\(refusal.step). The store is unchanged"
    }

    private static var remedyOfRefusal: String { "Repair the data with the previous program" }
}

extension SQLiteError {
    /// Whether the file is damaged or not a database.
    package var isDamage: Bool { [11, 26].contains(primaryCode) }

    /// The remedy for a copy that cannot be written to a folder.
    fileprivate func remedyOfCopy(in folder: String) -> String {
        if !StoreFiles.isFolder(folder) { return "There is no folder \(folder): create it" }
        return switch primaryCode {
        case 8, 14: "See that the program may write \(StoreFiles.words(forFolder: folder))"
        case 13: "Make room"
        default: "Make room, or move the existing file"
        }
    }
}

/// A violation of the new version's constraints by the data of a store.
public struct MigrationRefusal: Sendable, Hashable, CustomStringConvertible {
    /// A description of the running step of the migration: its changes, the conditions of these
    /// changes, and the reasons that the author of the model gave.
    public let step: String
    /// A description of the violation.
    public let reason: String
    /// The name of the violated constraint of the store, such as `Product.stock.max`; nil if it is
    /// not a constraint of the new version.
    public var constraint: String?
    /// The entity of the objects that violate the constraint, or the root of its hierarchy, by the
    /// name that it has in this step.
    public var entity: String?
    /// The numbers of the objects that violate the constraint: the first one that was found, or two
    /// equal ones. Empty if they were not found.
    public var objects: [Int64] = []
    /// The invalid value, in the notation of the model language (`12.34` for a decimal,
    /// `2026-01-31T12:00:00Z` for a date); nil if the violation is not about one value.
    ///
    /// - Note: It may be private data of a user, so the error's description does not contain it.
    public var value: String?

    package init(step: String, reason: String) {
        self.step = step
        self.reason = reason
    }

    /// The violation and the objects.
    public var description: String { words(value: nil) }

    /// The description with the value, for a reader with access to the store.
    package var descriptionWithValue: String { words(value: value) }

    private func words(value: String?) -> String {
        var facts: [String] = []
        if let entity, !objects.isEmpty {
            let numbers = objects.map(String.init).joined(separator: " and ")
            facts.append("\(objects.count == 1 ? "object" : "objects") \(numbers) of \(entity)")
        }
        if let value { facts.append("the value is \(value.excerpt(1_000).withVisibleControls)") }
        return reason + (facts.isEmpty ? "" : " [\(facts.joined(separator: ", "))]")
    }
}

extension String {
    /// The string with codes in place of control characters. A terminal would not show these, or
    /// would execute them.
    fileprivate var withVisibleControls: String {
        escaping { scalar in
            scalar.properties.generalCategory == .control
                ? "\\u{\(String(scalar.value, radix: 16))}" : nil
        }
    }
}

/// An error of a custom step: it failed, or left rows that violate constraints of the new version.
/// The complete migration is rolled back, and the store is unchanged.
public struct MigrationStepError: Error, Sendable, CustomStringConvertible {
    /// The step.
    public let step: String
    /// The entity of the row, if the error is about a row.
    public let entity: String?
    /// The number of the row's object among those of its root entity.
    public let row: Int64?
    /// The cause: the error that the step threw, or an error of the store.
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
        return "The step \(step) failed\(place ?? ""): \(underlying). The store is unchanged"
    }
}

/// A mistake in a custom step.
///
/// ## Topics
///
/// ### Objects
///
/// - ``noRow(entity:row:)``
/// - ``noSuccessor(entity:row:successor:)``
/// - ``notWritable(entity:)``
///
/// ### Values
///
/// - ``missingValue(entity:row:constraint:)``
/// - ``notUnique(entity:columns:rows:)``
/// - ``unfitValue(entity:column:)``
/// - ``unkeptDate(entity:column:)``
/// - ``nulInText(entity:column:)``
///
/// ### Description
///
/// - ``description``
public enum MigrationStepMistake: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such object.
    case noRow(entity: String, row: Int64)
    /// The step requested the new object for an old one, but no object of the new version replaced
    /// it.
    case noSuccessor(entity: String, row: Int64, successor: String)
    /// A required value of the row is missing.
    case missingValue(entity: String, row: Int64, constraint: String)
    /// Two objects have equal values in unique columns. The error contains their numbers, if they
    /// were found.
    case notUnique(entity: String, columns: [String], rows: [Int64])
    /// A value does not fit the column: a decimal number has more decimal places than the scale
    /// allows.
    case unfitValue(entity: String, column: String)
    /// A date is outside the range of dates that the server can store.
    case unkeptDate(entity: String, column: String)
    /// A string contains a NUL character.
    case nulInText(entity: String, column: String)
    /// The step may not write objects of the entity.
    case notWritable(entity: String)

    /// The problem and the remedy.
    public var description: String { remedy.map { "\(problem): \($0)" } ?? problem }

    /// The problem, without a full stop.
    package var problem: String {
        switch self {
        case .noRow(let entity, let row): "There is no \(entity) \(row)"
        case .noSuccessor(let entity, let row, let successor):
            "\(entity) \(row) was not replaced by a \(successor)"
        case .missingValue(let entity, let row, let constraint):
            "\(entity) \(row) violates a constraint of the new version: \(constraint)"
        case .notUnique(let entity, let columns, let rows):
            "Two \(entity) "
                + (rows.isEmpty ? "" : "(\(rows.map(String.init).joined(separator: " and "))) ")
                + "have the same \(columns.joined(separator: ", ")), which is unique in the new "
                + "version"
        case .unfitValue(let entity, let column):
            "A value of \(entity).\(column) has more places than the attribute's scale"
        case .unkeptDate(let entity, let column):
            "The store cannot keep a date of \(entity).\(column): it is too early or too late"
        case .nulInText(let entity, let column):
            "The string for \(entity).\(column) contains a NUL character, which a string cannot contain"
        case .notWritable(let entity):
            "The step may not write \(entity)"
        }
    }

    /// The remedy in the step, without a capital letter and a full stop; nil if the problem says
    /// it.
    package var remedy: String? {
        switch self {
        case .noRow, .missingValue: nil
        case .noSuccessor: "insert one, and note it with replace(_:with:)"
        case .notUnique: "let one stay, in the step or by <deduplicate>"
        case .unfitValue: "round it"
        case .unkeptDate: "set a nearer one, or none"
        case .nulInText: "remove it, or end the string there"
        case .notWritable: "name the entity in its 'entities'"
        }
    }
}
