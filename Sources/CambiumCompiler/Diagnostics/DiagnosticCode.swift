/// A kind of finding, with all there is to say of it. The number is for people to search for and never
/// changes its meaning; each has a folder of examples in the tests, `Cases/CM<number>`, those of the
/// lint `Cases/LQ<number>`.
package struct DiagnosticCode: RawRepresentable, Sendable, Hashable, Codable {
    /// The number. Those of the lint come after 10,000.
    package let rawValue: Int
    /// Whether it stops the build.
    package let severity: Severity
    /// Whether it is an error in a model that was written for Cambium, and a warning about what Xcode
    /// compiled and Core Data ran.
    package let isWarningInXcode: Bool
    /// The kind of finding, in a few words.
    package let title: String
    /// What it means and why it matters.
    package let meaning: String
    /// How to put it right.
    package let remedy: String
    /// A model with the mistake.
    package let wrong: Example
    /// The same without.
    package let right: Example

    /// Describes a code.
    init(
        _ number: Int, _ severity: Severity = .error, isWarningInXcode: Bool = false,
        title: String, meaning: String, remedy: String, wrong: Example, right: Example
    ) {
        rawValue = number
        self.severity = severity
        self.isWarningInXcode = isWarningInXcode
        self.title = title
        self.meaning = meaning
        self.remedy = remedy
        self.wrong = wrong
        self.right = right
    }

    /// The code of a number, if there is one.
    package init?(rawValue: Int) {
        guard let code = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    /// As it is printed: `CM103`, or `LQ301`.
    package var name: String {
        isOfLint ? "LQ\(rawValue - Self.firstOfLint)" : "CM\(rawValue)"
    }

    /// What the numbers of the lint are counted from.
    private static let firstOfLint = 10_000

    /// Whether it is a rule of the lint: about what a model, or a step to it, does to the stores in
    /// use.
    package var isOfLint: Bool { rawValue > Self.firstOfLint }

    /// Whether it is about the step to a version, and not about the version itself.
    package var isAboutStep: Bool {
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

extension DiagnosticCode: CustomStringConvertible {
    package var description: String { name }
}

extension DiagnosticCode: CaseIterable {
    /// All codes, by number: a new one is entered here. CM305, CM710, CM711, LQ103 and LQ104 existed once and are not used again.
    package static let allCases: [DiagnosticCode] = [
        .malformed, .notUTF8, .documentType, .processingInstruction, .limitExceeded, .bundleLayout,
        .foreignFile, .skippedVersion, .binaryModel, .invalidSettings, .unknownXcodeName,
        .xcodeMeaning, .malformedLock, .incompleteLock,
        .unknownElement, .unknownXMLAttribute, .missingXMLAttribute, .wrongRoot, .notSupportedYet,
        .invalidWord, .unexpectedText, .versionMismatch, .nameMismatch,
        .notAnIdentifier, .duplicateName, .reservedName, .shadowedProperty, .renamedInSwift,
        .longName,
        .unknownType, .wrongDefault, .inapplicable, .contradictoryLimits, .invalidPattern,
        .defaultBeyondLimits, .optionalBool, .emptyEnumeration, .duplicateRawValue,
        .codableWithoutDefault, .madeOptional, .invalidClass, .compositeCycle, .fixedValue,
        .unusedType, .smallExternalData,
        .unknownEntity, .unknownInverse, .inverseNotMutual, .inheritanceCycle, .missingInverse,
        .laxRequirement, .deleteNeverSucceeds, .transientInverse, .separatedEntities,
        .separatedInXcode, .cascadeBothWays, .cascadeIntoShared, .denyForever, .emptyEntity,
        .childlessAbstract, .singularToMany,
        .unknownProperty, .unsuitableProperty, .invalidExpression, .derivedMayBeNil,
        .limitWithoutOrder, .unusedParameter, .rtreeKeptBinary, .coveredIndex, .uselessIndex,
        .leakyConstraint, .constantCondition, .impliedRule, .distantDerivation, .inertOption,
        .skippedIndex,
        .wrongStartVersion, .unknownMigrationSubject, .undecidedMigration, .unprovenMigration,
        .frozenVersionChanged, .frozenVersionMissing, .impliedDrop, .emptyProof, .brokenChain,
        .idleFill,
        .droppedTwin, .lostOrder,
        .uniqueOnRows, .limitsOnRows, .ruleOnRows, .narrowedType, .countsOnRows, .abstractOnRows,
        .presenceOnRows, .externalOnRows, .emptyFill,
        .needlessRebuild, .rebuiltData, .indexInUse, .costlyPattern,
        .floatingUnique, .inventedMoment,
        .sameHash, .unknownCase,
        .unusedSuppression, .invalidSuppression,
    ]
}
