/// Every kind of finding. The number is for people to search for and never changes its meaning;
/// each has a folder of examples in the tests, `Cases/CM<number>`, those of the lint `Cases/LQ<number>`.
package enum DiagnosticCode: Int, Sendable, CaseIterable, Codable {
    // LQ1xx, after 10,000: what loses data or its meaning
    case droppedTwin = 10_101
    case lostOrder = 10_102
    // 103 and 104 were about cases that are gone: 703 asks what becomes of them.
    // LQ2xx: what fails on rows that are there
    case uniqueOnRows = 10_201
    case limitsOnRows = 10_202
    case ruleOnRows = 10_203
    case narrowedType = 10_204
    case countsOnRows = 10_205
    case abstractOnRows = 10_206
    case presenceOnRows = 10_207
    case externalOnRows = 10_208
    case emptyFill = 10_209
    // LQ3xx: what costs
    case needlessRebuild = 10_301
    case rebuiltData = 10_302
    case indexInUse = 10_303
    case costlyPattern = 10_304
    // LQ4xx: where a store differs from what one expects
    case floatingUnique = 10_401
    case inventedMoment = 10_402
    // LQ5xx: programs of other versions
    case sameHash = 10_501
    case unknownCase = 10_502
    // LQ8xx: suppressions
    case unusedSuppression = 10_801
    case invalidSuppression = 10_802

    // 1xx: the file and the bundle
    case malformed = 101
    case notUTF8 = 102
    case documentType = 103
    case processingInstruction = 104
    case limitExceeded = 105
    case bundleLayout = 106
    case foreignFile = 107
    case skippedVersion = 108
    case binaryModel = 109
    case invalidSettings = 110
    case unknownXcodeName = 111
    case xcodeMeaning = 112
    case malformedLock = 113
    case incompleteLock = 114

    // 2xx: the XML's structure
    case unknownElement = 201
    case unknownXMLAttribute = 202
    case missingXMLAttribute = 203
    case wrongRoot = 204
    case notSupportedYet = 205
    case invalidWord = 206
    case unexpectedText = 207
    case versionMismatch = 208
    case nameMismatch = 209

    // 3xx: names
    case notAnIdentifier = 301
    case duplicateName = 302
    case reservedName = 303
    case shadowedProperty = 304
    // 305 was about columns and tables of one name: each has one of its own now.
    case renamedInSwift = 306
    case longName = 307

    // 4xx: attributes and enumerations
    case unknownType = 401
    case wrongDefault = 402
    case inapplicable = 403
    case contradictoryLimits = 404
    case invalidPattern = 405
    case defaultBeyondLimits = 406
    case optionalBool = 407
    case emptyEnumeration = 408
    case duplicateRawValue = 409
    case codableWithoutDefault = 410
    case madeOptional = 411
    case invalidClass = 412
    case compositeCycle = 413
    case fixedValue = 414
    case unusedType = 415
    case smallExternalData = 416

    // 5xx: entities and relationships
    case unknownEntity = 501
    case unknownInverse = 502
    case inverseNotMutual = 503
    case inheritanceCycle = 504
    case missingInverse = 505
    case laxRequirement = 506
    case deleteNeverSucceeds = 507
    case transientInverse = 508
    case separatedEntities = 509
    case separatedInXcode = 510
    case cascadeBothWays = 511
    case cascadeIntoShared = 512
    case denyForever = 513
    case emptyEntity = 514
    case childlessAbstract = 515
    case singularToMany = 516

    // 6xx: constraints and expressions
    case unknownProperty = 601
    case unsuitableProperty = 602
    case invalidExpression = 603
    case derivedMayBeNil = 604
    case limitWithoutOrder = 605
    case unusedParameter = 606
    case rtreeKeptBinary = 607
    case coveredIndex = 608
    case uselessIndex = 609
    case leakyConstraint = 610
    case constantCondition = 611
    case impliedRule = 612
    case distantDerivation = 613
    case inertOption = 614
    case skippedIndex = 615

    // 7xx: migrations
    case wrongStartVersion = 701
    case unknownMigrationSubject = 702
    case undecidedMigration = 703
    case unprovenMigration = 704
    case frozenVersionChanged = 705
    case frozenVersionMissing = 706
    case impliedDrop = 707
    case emptyProof = 708
    case brokenChain = 709
    // 710 is part of 703, and 711 is LQ2xx now.
    case idleFill = 712

    /// As it is printed: `CM103`, or `LQ301`.
    package var name: String {
        isOfLint ? "LQ\(rawValue - Self.firstOfLint)" : "CM\(rawValue)"
    }

    /// Whether it is an error in a model that was written for Cambium, and a warning about what Xcode
    /// compiled and Core Data ran.
    var isWarningInXcode: Bool {
        switch self {
        case .missingXMLAttribute, .invalidWord, .notAnIdentifier, .duplicateName,
            .shadowedProperty, .wrongDefault, .inapplicable, .contradictoryLimits, .invalidPattern,
            .defaultBeyondLimits, .invalidClass, .unknownEntity, .unknownInverse,
            .inverseNotMutual, .transientInverse, .unknownProperty, .unsuitableProperty,
            .invalidExpression:
            true
        default: false
        }
    }

    /// Whether it stops the build.
    package var severity: Severity {
        switch self {
        case _ where isOfLint: self == .invalidSuppression ? .error : .warning
        case .skippedVersion, .unknownXcodeName, .xcodeMeaning: .warning
        case .foreignFile, .optionalBool, .missingInverse, .laxRequirement, .deleteNeverSucceeds:
            .warning
        case .renamedInSwift, .madeOptional, .separatedInXcode, .limitWithoutOrder,
            .unusedParameter, .rtreeKeptBinary, .fixedValue, .unusedType, .smallExternalData,
            .cascadeBothWays, .cascadeIntoShared, .denyForever, .emptyEntity, .childlessAbstract,
            .singularToMany, .coveredIndex, .uselessIndex, .leakyConstraint, .constantCondition,
            .impliedRule, .impliedDrop, .emptyProof, .brokenChain, .longName, .distantDerivation,
            .inertOption, .skippedIndex, .idleFill, .incompleteLock:
            .warning
        default:
            .error
        }
    }

    /// What the numbers of the lint are counted from.
    static let firstOfLint = 10_000

    /// Whether it is a rule of the lint: about what a model, or a step to it, does to the stores in
    /// use.
    package var isOfLint: Bool { rawValue > Self.firstOfLint }

    /// Whether it is about the step to a version, and not about the version itself.
    var isAboutStep: Bool {
        isOfLint && !isAboutSuppressions && self != .costlyPattern && self != .floatingUnique
    }

    /// Whether it is about suppressions, which nothing suppresses.
    var isAboutSuppressions: Bool { self == .unusedSuppression || self == .invalidSuppression }

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
