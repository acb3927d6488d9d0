import CambiumModel

/// The result of an import of a Core Data store, or of a plan for one, with all data that was not
/// imported.
///
/// The counts are of the copy. The names are from the version that wrote the store. Data that the
/// migration deletes afterwards is counted in ``migration``.
///
/// ## Topics
///
/// ### Summary
///
/// - ``isComplete``
/// - ``text``
/// - ``json``
/// - ``remarks``
///
/// ### Stores
///
/// - ``store``
/// - ``destination``
/// - ``model``
/// - ``version``
/// - ``current``
///
/// ### Version that wrote the store
///
/// - ``writtenBy``
/// - ``foundBy``
/// - ``alsoFits``
/// - ``choice``
/// - ``differences``
/// - ``formerNames``
///
/// ### Imported data
///
/// - ``objects``
/// - ``entities``
/// - ``EntityCount``
/// - ``relationships``
/// - ``RelationshipCount``
/// - ``changedValues``
/// - ``ChangedValue``
/// - ``invalidObjects``
/// - ``InvalidObject``
///
/// ### Data that was not imported
///
/// - ``refusedRows``
/// - ``RefusedRow``
/// - ``lostLinks``
/// - ``LostLink``
/// - ``missingFiles``
/// - ``MissingFile``
/// - ``omittedParts``
/// - ``OmittedPart``
///
/// ### Migration
///
/// - ``migration``
/// - ``MigrationCount``
/// - ``DeletedObjects``
/// - ``DeletedLinks``
public struct CoreDataImportReport: Sendable, Hashable {
    /// The counts of the objects of one entity, without its sub-entities.
    public struct EntityCount: Sendable, Hashable, Codable {
        /// The entity.
        public let entity: String
        /// The number of rows in the old store.
        public let read: Int
        /// The number of rows in the new store.
        public let written: Int
        /// The number of rows that are not in the new store. ``CoreDataImportReport/refusedRows``
        /// has the reason for each.
        public let refused: Int
    }

    /// The counts of the links of one relationship, seen from one side. The links of its inverse
    /// are the same.
    public struct RelationshipCount: Sendable, Hashable {
        /// The entity that declares it.
        public let entity: String
        /// The relationship.
        public let relationship: String
        /// The other side, as `Entity.relationship`, with the same links; nil if there is no
        /// inverse.
        public let inverse: String?
        /// The number of links in the store; for a one-to-one relationship, the links that this
        /// side has.
        public let read: Int
        /// The number that is in the new store.
        public let written: Int
        /// The number of links that are not in the new store: links of rejected rows, and
        /// ``CoreDataImportReport/lostLinks``.
        public let lost: Int
    }

    /// A row that is not in the new store.
    public struct RefusedRow: Sendable, Hashable {
        /// The entity, or the number of one that the version does not have.
        public let entity: String
        /// The row's key, `Z_PK`.
        public let id: Int64
        /// The property that caused the rejection, if it was one.
        public let property: String?
        /// The reason.
        public let reason: String
    }

    /// A link that is not in the new store.
    public struct LostLink: Sendable, Hashable {
        /// The entity of the object that had it.
        public let entity: String
        /// The object's key.
        public let id: Int64
        /// The relationship.
        public let relationship: String
        /// The key that it referenced.
        public let target: Int64?
        /// The reason.
        public let reason: String
    }

    /// A value that is another one in the new store.
    public struct ChangedValue: Sendable, Hashable, Codable {
        /// The object's entity.
        public let entity: String
        /// The object's key.
        public let id: Int64
        /// The attribute.
        public let property: String
        /// The change of the value, and the reason.
        public let reason: String
    }

    /// An object that was imported although it violates a rule of the model.
    public struct InvalidObject: Sendable, Hashable, Codable {
        /// The object's entity.
        public let entity: String
        /// The object's key.
        public let id: Int64
        /// The property that violates the rule.
        public let property: String
        /// The problem.
        public let reason: String
    }

    /// A file of a large value that is missing from Core Data's folder.
    public struct MissingFile: Sendable, Hashable, Codable {
        /// The object's entity.
        public let entity: String
        /// The object's key.
        public let id: Int64
        /// The attribute.
        public let property: String
        /// The file's path.
        public let file: String
    }

    /// A part of the store that does not belong to an object of any version.
    public struct OmittedPart: Sendable, Hashable {
        /// A table, a column as `TABLE.COLUMN`, a file, or a name in the metadata.
        public let name: String
        /// The number of its rows or values, if they were counted.
        public let rows: Int?
        /// The reason.
        public let reason: String
        /// Whether the part is Core Data's own bookkeeping. No program needs it.
        public let isBookkeeping: Bool
    }

    /// Objects of an entity that a step of the migration deleted.
    public struct DeletedObjects: Sendable, Hashable, Codable {
        /// The entity, by its name in the version that wrote the store.
        public let entity: String
        /// The version after the step.
        public let version: String
        /// The number of objects or links.
        public let count: Int
        /// The keys of the objects in the old store, `Z_PK`.
        public let ids: [Int64]
        /// The changes that deleted them, as text.
        public let changes: [String]
    }

    /// Links of a relationship that a step of the migration deleted.
    public struct DeletedLinks: Sendable, Hashable, Codable {
        /// The entity that declares it, in the version before the step.
        public let entity: String
        /// The relationship.
        public let relationship: String
        /// The version after the step.
        public let version: String
        /// The number of objects or links.
        public let count: Int
    }

    /// The migration from the version that wrote the store to the program's.
    public struct MigrationCount: Sendable, Hashable {
        /// The version that it started from.
        public let from: String
        /// The version after the last step.
        public let to: String
        /// The versions after each step, including the last one.
        public let versions: [String]
        /// The declared changes that deleted data of this store, in words, each with the amount.
        public let losses: [String]
        /// The objects that it took.
        public let objects: [DeletedObjects]
        /// The deleted links, including links of deleted objects.
        public let links: [DeletedLinks]
        /// The version from which no migration continues, if the migration ended early.
        public let stoppedAt: String?
        /// The reason for the end.
        public let reason: String?
    }

    /// The path of the store that Core Data wrote.
    public let store: String
    /// The path of the new store; nil for a plan.
    public internal(set) var destination: String?
    /// The model's name.
    public let model: String
    /// The version that wrote the store.
    public let writtenBy: String
    /// The version that the new store has.
    public internal(set) var version: String
    /// The version that the program has.
    public let current: String
    /// The way in which the version was found: `hashes`, `identifier`, `structure` or `forced`.
    public let foundBy: String
    /// Other versions that can have written it too.
    public let alsoFits: [String]
    /// The reason that an earlier version that fits equally well was not chosen, in words; nil if
    /// the earliest was chosen.
    public internal(set) var choice: String?
    /// Decisions without data loss, in sentences: the version named in the store was not chosen, or
    /// rows have the entity number of another version.
    public internal(set) var remarks: [String] = []
    /// The differences between the store and the version, without former names, if the version was
    /// forced.
    public let differences: [String]
    /// The parts of the store that have their former names, from the version before, if the version
    /// was forced. All of them were imported.
    public let formerNames: [String]
    /// The number of objects in the new store, in the version that wrote the old store.
    public internal(set) var objects = 0
    /// The number of rows of each entity.
    public internal(set) var entities: [EntityCount] = []
    /// The number of links of each relationship.
    public internal(set) var relationships: [RelationshipCount] = []
    /// The rows that are not in the new store.
    public internal(set) var refusedRows: [RefusedRow] = []
    /// The links that are not in the new store although their row is.
    public internal(set) var lostLinks: [LostLink] = []
    /// The values that are others in the new store.
    public internal(set) var changedValues: [ChangedValue] = []
    /// The objects with an invalid number of destinations in a to-many relationship. They were
    /// imported unchanged, and none of their data is lost. A program cannot save a change of such
    /// an object before its number is valid.
    public internal(set) var invalidObjects: [InvalidObject] = []
    /// The files that were not found.
    public internal(set) var missingFiles: [MissingFile] = []
    /// The parts of the store that correspond to no property of the version.
    public internal(set) var omittedParts: [OmittedPart] = []
    /// The migration to the version of the new store; nil if there was none.
    public internal(set) var migration: MigrationCount?

    /// Whether all data of the store was imported into the version that wrote it, except Core
    /// Data's own bookkeeping, and the new store has the requested version.
    ///
    /// Data that later versions of the model drop is not included here: ``migration`` counts it.
    public var isComplete: Bool { hasAllData && migration?.stoppedAt == nil }

    /// Whether all data of the store was imported.
    var hasAllData: Bool {
        losses == 0 && missingFiles.isEmpty && differences.isEmpty
            && omittedParts.allSatisfy { $0.isBookkeeping || $0.rows == 0 }
    }

    /// The number of rows, links and values that the version rejects.
    var losses: Int { refusedRows.count + lostLinks.count + changedValues.count }
}

/// The way in which the version that wrote a store was found.
enum VersionEvidence: String {
    /// The hashes of the version are in the store.
    case hashes
    /// The identifier of the version is in the store, and all data of the store fits.
    case identifier
    /// All tables and columns of the store fit.
    case structure
    /// The caller named it.
    case forced
}
