/// A kind of diagnostic.
///
/// The number is for searches and never changes its meaning. CM305, CM710, CM711, LQ103 and LQ104
/// existed once and are not used again. The `Explanation` in CambiumAuthoring describes each code,
/// with an example that the tests compile.
package enum DiagnosticCode: Int, Sendable, CaseIterable {
    // MARK: Files, bundles and settings

    /// The file is not well-formed XML.
    case malformed = 101
    /// The file is not UTF-8.
    case notUTF8 = 102
    /// A document type is not allowed.
    case documentType = 103
    /// A processing instruction is not allowed.
    case processingInstruction = 104
    /// The file exceeds a limit.
    case limitExceeded = 105
    /// The bundle cannot be read.
    case bundleLayout = 106
    /// A file in the bundle is not a version.
    case unknownFile = 107
    /// A version of an Xcode model is ignored.
    case skippedVersion = 108
    /// The model is in the binary form of Xcode 3.
    case binaryModel = 109
    /// The settings of a bundle are wrong.
    case invalidSettings = 110
    /// Xcode's model contains an unknown name.
    case unknownXcodeName = 111
    /// A part of Xcode's model has another meaning in Cambium.
    case xcodeMeaning = 112
    /// The lock cannot be read.
    case malformedLock = 113
    /// The entry of a version in the lock was lost.
    case incompleteLock = 114

    // MARK: The structure of the XML

    /// The element is unknown here.
    case unknownElement = 201
    /// The XML attribute is unknown here.
    case unknownXMLAttribute = 202
    /// A necessary XML attribute is missing.
    case missingXMLAttribute = 203
    /// The file does not start with <model>.
    case wrongRoot = 204
    /// This part of the language is not supported yet.
    case notSupportedYet = 205
    /// The value is not one of the valid words.
    case invalidWord = 206
    /// Text at a position without meaning.
    case unexpectedText = 207
    /// The version is not that of the file.
    case versionMismatch = 208
    /// The name is not that of the bundle.
    case nameMismatch = 209

    // MARK: Names

    /// The name is not an identifier.
    case notAnIdentifier = 301
    /// The name exists already.
    case duplicateName = 302
    /// The name belongs to the runtime.
    case reservedName = 303
    /// An inherited property is declared again.
    case shadowedProperty = 304
    /// The name is different in Swift.
    case renamedInSwift = 306
    /// A column has a very long name.
    case longName = 307

    // MARK: Attributes and enumerations

    /// The type is unknown.
    case unknownType = 401
    /// The value is not one of the type.
    case wrongDefault = 402
    /// An attribute has no meaning for the type.
    case inapplicable = 403
    /// No value is within the limits.
    case contradictoryLimits = 404
    /// The pattern is not a regular expression.
    case invalidPattern = 405
    /// The value violates the attribute's own limits.
    case defaultBeyondLimits = 406
    /// An optional bool has three values.
    case optionalBool = 407
    /// The enumeration has no case.
    case emptyEnumeration = 408
    /// Two cases have the same raw value.
    case duplicateRawValue = 409
    /// A required codable has no initial value.
    case codableWithoutDefault = 410
    /// A required property of Xcode is optional here.
    case madeOptional = 411
    /// The class is not the name of a Swift type.
    case invalidClass = 412
    /// A composite contains itself.
    case compositeCycle = 413
    /// The limits leave a single value.
    case fixedValue = 414
    /// No attribute has this type.
    case unusedType = 415
    /// Small data is kept in files of its own.
    case smallExternalData = 416

    // MARK: Entities, relationships and configurations

    /// The entity is unknown.
    case unknownEntity = 501
    /// The other entity has no such relationship.
    case unknownInverse = 502
    /// The inverse belongs to another relationship.
    case inverseNotMutual = 503
    /// An entity inherits from itself.
    case inheritanceCycle = 504
    /// The relationship has no inverse.
    case missingInverse = 505
    /// A required to-many accepts an empty set.
    case laxRequirement = 506
    /// An object with links could not be deleted.
    case deleteNeverSucceeds = 507
    /// One end of a relationship is transient.
    case transientInverse = 508
    /// A configuration separates related entities.
    case separatedEntities = 509
    /// A configuration of Xcode separates related entities.
    case separatedInXcode = 510
    /// Both ends of a relationship cascade.
    case cascadeBothWays = 511
    /// Deleting an object deletes objects that others share.
    case cascadeIntoShared = 512
    /// An object could never be deleted.
    case denyForever = 513
    /// An entity has nothing to store.
    case emptyEntity = 514
    /// An abstract entity has no sub-entities.
    case childlessAbstract = 515
    /// A to-many relationship has at most one object.
    case singularToMany = 516

    // MARK: Constraints, indexes and expressions

    /// The entity has no such property.
    case unknownProperty = 601
    /// The property cannot be used for this.
    case unsuitableProperty = 602
    /// The expression is wrong.
    case invalidExpression = 603
    /// A required derived attribute can be nil.
    case derivedMayBeNil = 604
    /// A limit without an order.
    case limitWithoutOrder = 605
    /// A parameter is not used.
    case unusedParameter = 606
    /// An R-tree index is kept as an ordinary one.
    case rtreeKeptBinary = 607
    /// Another index covers the same.
    case coveredIndex = 608
    /// The index has no use.
    case uselessIndex = 609
    /// A unique set has an optional or a codable property.
    case leakyConstraint = 610
    /// A condition is always true or always false.
    case constantCondition = 611
    /// A rule repeats the limits.
    case impliedRule = 612
    /// A derived attribute uses distant objects.
    case distantDerivation = 613
    /// An option of a request has no effect here.
    case inertOption = 614
    /// An index of an Xcode model is ignored.
    case skippedIndex = 615
    /// An index contains strings without a maximum length, which PostgreSQL cannot store.
    case unlimitedIndex = 616

    // MARK: Migrations

    /// The migration starts from another version.
    case wrongStartVersion = 701
    /// The migration names an element that does not exist.
    case unknownMigrationSubject = 702
    /// The migration cannot be inferred from the model alone.
    case undecidedMigration = 703
    /// The SQL fails on SQLite.
    case unprovenMigration = 704
    /// A version that has shipped was changed.
    case frozenVersionChanged = 705
    /// A version that has shipped is missing.
    case frozenVersionMissing = 706
    /// A step that has shipped loses data.
    case impliedDrop = 707
    /// The migration was proven without rows.
    case emptyProof = 708
    /// Old stores cannot be migrated.
    case brokenChain = 709
    /// A fill changes nothing.
    case idleFill = 712

    // MARK: Data loss, intended or not

    /// A dropped element is replaced by one with nearly the same name.
    case droppedSimilar = 10_101
    /// A list loses its order.
    case lostOrder = 10_102

    // MARK: Failures on existing rows

    /// Existing rows may violate the new unique constraint.
    case uniqueOnRows = 10_201
    /// Existing values may violate the new limits.
    case limitsOnRows = 10_202
    /// Existing objects may violate the new rule.
    case ruleOnRows = 10_203
    /// Existing values may not fit their new type.
    case narrowedType = 10_204
    /// Existing relationships may violate the new number of objects.
    case countsOnRows = 10_205
    /// An entity that may have objects becomes abstract.
    case abstractOnRows = 10_206
    /// Existing values may lack a part that is now required.
    case presenceOnRows = 10_207
    /// Existing values may be in files.
    case externalOnRows = 10_208
    /// A fill has no value for some objects.
    case emptyFill = 10_209

    // MARK: What costs

    /// A table is rebuilt for a fill that repeats the default.
    case needlessRebuild = 10_301
    /// A table with large data is rebuilt.
    case rebuiltData = 10_302
    /// An index that a request uses was deleted.
    case indexInUse = 10_303
    /// A pattern cannot be matched in linear time.
    case costlyPattern = 10_304

    // MARK: Unexpected content of a store

    /// A floating-point number is to be unique.
    case floatingUnique = 10_401
    /// Existing objects get the time of the migration.
    case inventedMoment = 10_402

    // MARK: Programs of other versions

    /// A store looks the same to the older program.
    case sameHash = 10_501
    /// The older program cannot read a new case.
    case unknownCase = 10_502

    // MARK: Suppressions

    /// A suppression has no effect.
    case unusedSuppression = 10_801
    /// A suppression is not complete.
    case invalidSuppression = 10_802
}

extension DiagnosticCode {
    /// The base of the lint's numbers.
    private static let firstOfLint = 10_000

    /// Whether the code is a rule of the lint. Such a rule is about the effect on existing stores,
    /// of a model or of a step to it.
    @inline(never)
    package var isOfLint: Bool { rawValue > Self.firstOfLint }

    /// The effect of the finding on the build.
    package var severity: Severity {
        switch self {
        case .unknownFile, .skippedVersion, .unknownXcodeName, .xcodeMeaning, .incompleteLock,
            .renamedInSwift, .longName, .optionalBool, .madeOptional, .fixedValue, .unusedType,
            .smallExternalData, .missingInverse, .laxRequirement, .deleteNeverSucceeds,
            .separatedInXcode, .cascadeBothWays, .cascadeIntoShared, .denyForever, .emptyEntity,
            .childlessAbstract, .singularToMany, .limitWithoutOrder, .unusedParameter,
            .rtreeKeptBinary, .coveredIndex, .uselessIndex, .leakyConstraint,
            .constantCondition, .impliedRule, .distantDerivation, .inertOption, .skippedIndex,
            .unlimitedIndex, .impliedDrop, .emptyProof, .brokenChain, .idleFill:
            .warning
        case .invalidSuppression: .error
        default: isOfLint ? .warning : .error
        }
    }

    /// Whether the finding is an error in a model written for Cambium, but only a warning in a
    /// model that Xcode compiled and Core Data used.
    package var isWarningInXcode: Bool {
        switch self {
        case .missingXMLAttribute, .invalidWord, .notAnIdentifier, .duplicateName,
            .shadowedProperty, .wrongDefault, .inapplicable, .contradictoryLimits,
            .invalidPattern, .defaultBeyondLimits, .invalidClass, .unknownEntity,
            .unknownInverse, .inverseNotMutual, .transientInverse, .unknownProperty,
            .unsuitableProperty, .invalidExpression:
            true
        default: false
        }
    }

    /// The only engine to which it applies; nil for all.
    package var engine: CheckedEngine? { self == .unlimitedIndex ? .postgres : nil }

    /// The subject of a diagnostic: a version, the step to it, or a suppression. Diagnostics about
    /// suppressions cannot be suppressed.
    package enum Subject: Sendable { case version, step, suppression }

    /// The subject of diagnostics with the code.
    package var subject: Subject {
        switch self {
        case .emptyProof, .idleFill: .step
        case .costlyPattern, .floatingUnique: .version
        case .unusedSuppression, .invalidSuppression: .suppression
        default: isOfLint ? .step : .version
        }
    }

    /// The printed form of the code, such as `CM103` or `LQ301`.
    package var name: String {
        isOfLint ? "LQ\(rawValue - Self.firstOfLint)" : "CM\(rawValue)"
    }

    /// The code as people write it: `CM502`, `cm502`, `502`, or `LQ301`.
    package init?(named name: String) {
        let word = name.uppercased()
        let start = word.hasPrefix("LQ") ? Self.firstOfLint : 0
        let digits = word.hasPrefix("LQ") || word.hasPrefix("CM") ? word.dropFirst(2) : word[...]
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), digits.count <= 3,
            let number = Int(digits)
        else { return nil }
        self.init(rawValue: start + number)
    }
}

extension DiagnosticCode: CustomStringConvertible {
    package var description: String { name }
}
