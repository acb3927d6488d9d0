/// What a context read while a block ran, see ``ManagedObjectContext/reads(during:)``.
public struct ReadReport: Sendable, Hashable {
    /// A relationship whose objects, or whose far ends, were read one by one: the N + 1 problem.
    public struct Repetition: Sendable, Hashable {
        /// The entity that has the relationship.
        public let entityName: String
        /// The relationship.
        public let relationshipName: String
        /// How many statements it took.
        public let count: Int

        /// What the request for the objects that have the relationship should say.
        public var remedy: String {
            ".prefetching(\(entityName).\(relationshipName))"
        }
    }

    /// What each statement was for, in order.
    public let reads: [String]
    /// The relationships that took several statements, the worst first.
    public let repetitions: [Repetition]

    /// How many statements there were.
    public var count: Int { reads.count }
}

extension ReadReport: CustomStringConvertible {
    /// The number of statements, what to prefetch, and each statement's purpose.
    public var description: String {
        var lines = ["\(count) statement\(count == 1 ? "" : "s") that read"]
        for repetition in repetitions {
            lines.append(
                "\(repetition.entityName).\(repetition.relationshipName) was read "
                    + "\(repetition.count) times, object by object: add \(repetition.remedy) "
                    + "to the request for \(repetition.entityName)")
        }
        let shown = 20
        lines += reads.prefix(shown).enumerated().map { "\($0 + 1). \($1)" }
        if reads.count > shown { lines.append("… and \(reads.count - shown) more") }
        return lines.joined(separator: "\n")
    }
}

/// A block took more statements than it may, see
/// ``ManagedObjectContext/withReads(atMost:fileID:line:_:)``.
public struct TooManyReadsError: Error, Sendable, CustomStringConvertible {
    /// How many statements the block may take.
    public let limit: Int
    /// What it read.
    public let report: ReadReport
    /// The file and the line of the block.
    public let place: String

    /// The limit, the place and the report.
    public var description: String {
        "The block at \(place) may read with \(limit) statement\(limit == 1 ? "" : "s"). It took "
            + "\(report)"
    }
}
