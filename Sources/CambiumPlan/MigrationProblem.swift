import CambiumModel

/// Why no migration can be planned, with what the author of the model can do about it.
package struct MigrationProblem: Error, Sendable, Equatable {
    /// The version that has the entity and the property.
    package enum Side: Sendable {
        /// The version that the migration starts from.
        case old
        /// The version that it leads to.
        case new
    }

    /// The entity that the problem is about.
    package let entity: String
    /// The property that the problem is about, or nil where it is the entity itself.
    package let property: String?
    /// The enumeration that the problem is about, where it is one.
    package let enumeration: String?
    /// Which version has them.
    package let side: Side
    /// What is wrong, without a remedy: for versions in which nothing can be changed any more.
    package let fact: String
    /// What to do about it, in words; nil where the fact says it.
    package let remedy: String?
    /// What to write; each by itself solves the problem.
    package let fixes: [MigrationFix]

    /// What two things say that they were, where that is the problem.
    package let disputed: Disputed?

    /// A former name that two things say, and one of the two.
    package struct Disputed: Sendable, Equatable {
        /// The name of one of them now.
        package let name: String
        /// What both say that they were called.
        package let former: String
    }

    /// What one of the fixes declares, of a kind.
    package func declarations<Item: MigrationItem>(of kind: Item.Type) -> [Item] {
        fixes.flatMap(\.parts).compactMap { $0.declared as? Item }
    }

    /// What is wrong, and the remedy.
    package var message: String { fact + (remedy.map { "; \($0)" } ?? "") }

    /// Describes a problem.
    package init(
        entity: String, property: String? = nil, enumeration: String? = nil,
        in side: Side = .new, fact: String, remedy: String? = nil,
        fixes: [MigrationFix] = [], disputed: Disputed? = nil
    ) {
        self.entity = entity
        self.property = property
        self.enumeration = enumeration
        self.side = side
        self.fact = fact
        self.remedy = remedy
        self.fixes = fixes
        self.disputed = disputed
    }
}

/// All problems of a pair of versions.
package struct MigrationProblems: Error, Sendable, CustomStringConvertible {
    /// The problems, at least one.
    package let problems: [MigrationProblem]

    /// Describes the problems.
    package init(_ problems: [MigrationProblem]) { self.problems = problems }

    /// One problem a line.
    package var description: String { problems.map(\.message).joined(separator: "\n") }
}
