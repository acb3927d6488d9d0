/// Something that is wrong with a store: with one of its objects, with a link, or with the store
/// itself. It names objects by their keys and has no values of them.
public struct StoreFinding: Sendable, Hashable {
    /// The kind of fault. The raw values are stable: programs may compare them.
    ///
    /// ## Topics
    ///
    /// ### Tables and rows
    ///
    /// - ``integrity``
    /// - ``schemaDiffers``
    /// - ``unknownEntity``
    /// - ``keyCounter``
    ///
    /// ### Values
    ///
    /// - ``missingValue``
    /// - ``unreadableValue``
    /// - ``unknownCase``
    /// - ``outOfRange``
    /// - ``wrongLength``
    /// - ``patternMismatch``
    /// - ``nulInText``
    /// - ``notANumber``
    /// - ``incompleteComposite``
    /// - ``staleValue``
    ///
    /// ### Constraints and rules
    ///
    /// - ``notUnique``
    /// - ``ruleViolated``
    ///
    /// ### Links
    ///
    /// - ``danglingLink``
    /// - ``danglingPair``
    /// - ``wrongEntity``
    /// - ``linkEntityDiffers``
    /// - ``oneSidedLink``
    /// - ``severalPartners``
    /// - ``tooFewLinks``
    /// - ``tooManyLinks``
    ///
    /// ### Ordered relationships
    ///
    /// - ``missingPlace``
    /// - ``duplicatePlace``
    ///
    /// ### Large values
    ///
    /// - ``missingExternalData``
    /// - ``unreadableExternalData``
    /// - ``unreferencedExternalData``
    ///
    /// ### Repair
    ///
    /// - ``isRepairable``
    /// - ``remedy``
    ///
    /// ### Raw values
    ///
    /// - ``init(rawValue:)``
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The database itself is damaged, according to its own check.
        case integrity
        /// A table, column or index differs from the model.
        case schemaDiffers
        /// A row is of an entity that the model does not have, or that is abstract.
        case unknownEntity
        /// A value cannot be read as one of its attribute's type.
        case unreadableValue
        /// A required value or a required object is missing.
        case missingValue
        /// A number or date is beyond the minimum or the maximum.
        case outOfRange
        /// A string or data is too short or too long.
        case wrongLength
        /// A string does not match its pattern.
        case patternMismatch
        /// A floating-point number or date is not a number (NaN).
        case notANumber
        /// A string contains a NUL character.
        case nulInText
        /// A value is not a case of its enumeration.
        case unknownCase
        /// A composite value lacks a part that it requires.
        case incompleteComposite
        /// A rule of the model does not hold.
        case ruleViolated
        /// Two objects share values that are unique.
        case notUnique
        /// A to-one references an object that does not exist.
        case danglingLink
        /// A link references an object of another entity than the model defines, or starts at one.
        case wrongEntity
        /// A to-one names another entity for an object than the object has.
        case linkEntityDiffers
        /// Two objects of a one-to-one reference the same object.
        case severalPartners
        /// An object references another one that does not reference it back.
        case oneSidedLink
        /// A pair of a many-to-many has an end that does not exist.
        case danglingPair
        /// A to-many has fewer objects than its minimum.
        case tooFewLinks
        /// A to-many has more objects than its maximum.
        case tooManyLinks
        /// A member of an ordered relationship has no position in the order, and others have.
        case missingPlace
        /// Two members of an ordered relationship have the same place.
        case duplicatePlace
        /// A derived value differs from its computation.
        case staleValue
        /// A large value that an object references does not exist.
        case missingExternalData
        /// A large value cannot be read.
        case unreadableExternalData
        /// A large value is kept that no object references.
        case unreferencedExternalData
        /// The next key of an entity was given already.
        case keyCounter

        /// The suggested fix.
        public var remedy: String {
            switch self {
            case .integrity:
                "Restore a backup. If there is none, copy what can be read with the database's "
                    + "own tools."
            case .schemaDiffers: "Open the store with the drift policy 'repair', or change it back."
            case .unknownEntity: "Correct the entity of the row, or delete the row."
            case .unreadableValue, .unknownCase, .notANumber, .nulInText, .outOfRange,
                .wrongLength, .patternMismatch, .ruleViolated, .incompleteComposite:
                "Set another value in a program, and save."
            case .missingValue: "Set a value in a program, and save."
            case .notUnique, .severalPartners: "Change or delete one of the objects."
            case .danglingLink, .wrongEntity, .linkEntityDiffers:
                "Set the relationship to an object that fits, or to nil."
            case .oneSidedLink: "Set the relationship again at both ends, or clear it at both."
            case .danglingPair: "Remove the pair, or restore the object."
            case .tooFewLinks: "Add objects, or delete the owner."
            case .tooManyLinks: "Remove objects."
            case .missingPlace, .duplicatePlace: "Set the list again in its order, and save."
            case .staleValue, .unreferencedExternalData, .keyCounter:
                "Run the check with --repair."
            case .missingExternalData, .unreadableExternalData:
                "Restore the value from a backup, or set another one."
            }
        }

        /// Whether the finding can be repaired without a decision about data.
        public var isRepairable: Bool {
            switch self {
            case .staleValue, .unreferencedExternalData, .keyCounter: true
            default: false
            }
        }
    }

    /// The kind of fault.
    public let kind: Kind
    /// The object's entity; nil if the fault is in no object.
    public let entityName: String?
    /// The object's key; nil if the fault is in no object.
    public let key: Int64?
    /// The property, or the name of the rule; nil if the fault is in none.
    public let property: String?
    /// The problem, with the place and without values.
    public let message: String

    package init(
        _ kind: Kind, entityName: String? = nil, key: Int64? = nil, property: String? = nil,
        _ message: String
    ) {
        self.kind = kind
        self.entityName = entityName
        self.key = key
        self.property = property
        self.message = message
    }
}

extension StoreFinding: CustomStringConvertible {
    /// The place and the problem.
    public var description: String { "\(place)\(message)" }

    /// The prefix of the text, such as `Book/7.author: `. It is empty if the fault is not in an
    /// object.
    private var place: String {
        guard let entityName else { return "" }
        return entityName + (key.map { "/\($0)" } ?? "") + (property.map { ".\($0)" } ?? "") + ": "
    }
}

/// The faults of one kind that a repair has corrected.
public struct StoreRepair: Sendable, Hashable {
    /// The kind of fault.
    public let kind: StoreFinding.Kind
    /// The entity; nil if the fault was in none.
    public let entityName: String?
    /// The property; nil if the fault was in none.
    public let property: String?
    /// The number of repaired objects, counters or large values.
    public let count: Int

    package init(_ kind: StoreFinding.Kind, entityName: String?, property: String?, count: Int) {
        self.kind = kind
        self.entityName = entityName
        self.property = property
        self.count = count
    }
}

/// Some findings of one kind, and how many there are in all.
package struct StoreFindings: Sendable {
    package let kind: StoreFinding.Kind
    package private(set) var findings: [StoreFinding] = []
    package private(set) var count = 0

    package init(_ kind: StoreFinding.Kind) {
        self.kind = kind
    }

    /// Adds findings; those over a limit are only counted.
    ///
    /// - Parameter count: The number of all findings, at least of the given ones.
    package mutating func add(_ more: [StoreFinding], count: Int, limit: Int) {
        findings += more.prefix(max(0, limit - findings.count))
        self.count += count
    }
}
