import CambiumRecords

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

extension ManagedObjectContext {
    /// Runs a block and tells what the context read from its stores meanwhile. For tests and for
    /// the search for what is slow; it needs no options and no test library.
    ///
    /// Each statement that reads counts; what the context or the row cache had already takes none.
    /// Saves and other contexts do not count. In a block inside another one, the inner one counts.
    ///
    /// ```swift
    /// let (_, report) = try context.reads { try makeTable(context) }
    /// assert(report.repetitions.isEmpty, "\(report)")
    /// ```
    ///
    /// - Throws: What the block throws.
    public func reads<Result>(
        during body: () throws -> Result
    ) rethrows -> (result: Result, report: ReadReport) {
        let log = reads.startLog()
        defer { reads.end(log) }
        let result = try body()
        return (result, ReadReporting(context: self).report(on: log))
    }

    /// Runs a block that waits, in the isolation of the caller, and tells what the context read
    /// from its stores meanwhile.
    ///
    /// What the context reads for others while the block waits counts too. What is fetched in the
    /// background is fetched in the context's own isolation as long as somebody counts.
    ///
    /// - Throws: What the block throws.
    public func reads<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, during body: () async throws -> Result
    ) async rethrows -> (result: Result, report: ReadReport) {
        let log = reads.startLog()
        defer { reads.end(log) }
        let result = try await body()
        return (result, ReadReporting(context: self).report(on: log))
    }

    /// Runs a block that may read with so many statements.
    ///
    /// ```swift
    /// try context.withReads(atMost: 2) {
    ///     for product in try context.fetch(request) { print(product.category?.name ?? "") }
    /// }
    /// ```
    ///
    /// - Throws: ``TooManyReadsError`` where it took more, whose description names the relationship
    ///   to prefetch; what the block throws.
    public func withReads<Result>(
        atMost limit: Int, fileID: StaticString = #fileID, line: UInt = #line,
        _ body: () throws -> Result
    ) throws -> Result {
        let (result, report) = try reads(during: body)
        try report.check(atMost: limit, "\(fileID):\(line)")
        return result
    }

    /// Runs a block that waits, in the isolation of the caller, and may read with so many
    /// statements.
    ///
    /// ```swift
    /// try await context.withReads(atMost: 3) { await screen.reload() }
    /// ```
    ///
    /// What the context reads for others while the block waits counts too. What is fetched in the
    /// background is fetched in the context's own isolation as long as somebody counts.
    ///
    /// - Throws: ``TooManyReadsError`` where it took more, whose description names the relationship
    ///   to prefetch; what the block throws.
    public func withReads<Result: Sendable>(
        atMost limit: Int, fileID: StaticString = #fileID, line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let (result, report) = try await reads(during: body)
        try report.check(atMost: limit, "\(fileID):\(line)")
        return result
    }
}

extension ReadReport {
    fileprivate func check(atMost limit: Int, _ place: String) throws {
        if count > limit { throw TooManyReadsError(limit: limit, report: self, place: place) }
    }
}

/// Puts together what a context read while somebody counted.
struct ReadReporting: ContextAccess {
    let context: ManagedObjectContext

    /// What a log tells. Which relationship led to a fault is found out afterwards, from the
    /// objects that are there, so that following one costs nothing while nobody counts.
    func report(on log: ReadLog) -> ReadReport {
        var tallies = [String: Int]()
        let faults = log.events.compactMap { event in
            if case .fault(let root, let key) = event {
                RowIdentity(root: root.rootIndex, key: key)
            } else {
                nil
            }
        }
        let ways = waysTo(Set(faults))
        for fault in faults {
            if let way = ways[fault] { tallies[way, default: 0] += 1 }
        }
        for case .links(let owner, let relationship) in log.events {
            tallies[name(of: relationship, owner), default: 0] += 1
        }
        let repetitions = tallies.filter { $0.value > 1 }
            .ordered { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { name, count in
                let parts = name.split(separator: ".", maxSplits: 1)
                return ReadReport.Repetition(
                    entityName: String(parts[0]), relationshipName: String(parts[1]), count: count)
            }
        return ReadReport(reads: log.events.map { describe($0, ways) }, repetitions: repetitions)
    }

    /// A relationship, as people write it.
    private func name(
        of relationship: RelationshipDescription, _ owner: EntityDescription
    ) -> String {
        "\(owner.name).\(relationship.relationship.name)"
    }

    private func describe(_ event: ReadLog.Event, _ ways: [RowIdentity: String]) -> String {
        switch event {
        case .fetch(let entity, let what): return "\(what) of \(entity.name), by a condition"
        case .fault(let root, let key):
            let way = ways[RowIdentity(root: root.rootIndex, key: key)]
            return "\(root.name)/\(key) alone" + (way.map { ", which \($0) leads to" } ?? "")
        case .faults(let entity, let count): return "\(count) objects of \(entity.name) together"
        case .links(let owner, let relationship):
            return "\(name(of: relationship, owner)) of one object"
        case .allLinks(let relationship, let count):
            return "\(relationship.relationship.name) of \(count) objects together"
        }
    }

    /// The relationships that reference rows, as far as objects tell whose values are there.
    private func waysTo(_ rows: Set<RowIdentity>) -> [RowIdentity: String] {
        guard !rows.isEmpty else { return [:] }
        var ways = [RowIdentity: [String: Int]]()
        registry.forEach { object in
            guard let record = object.record else { return }
            for relationship in object.entityDescription.relationships {
                let name = name(of: relationship, object.entityDescription)
                if let slot = relationship.slot {
                    guard record.hasValue(slot) else { continue }
                    let root = coordinator.model.entities[relationship.destination].rootIndex
                    let id = RowIdentity(root: root, key: record.integer(slot))
                    if rows.contains(id) { ways[id, default: [:]][name, default: 0] += 1 }
                } else if let links = object.extras?.links[relationship.ordinal],
                    links.stored != nil
                {
                    for member in links.members {
                        let root = coordinator.model.entities[member.entity].rootIndex
                        let id = RowIdentity(root: root, key: member.key)
                        if rows.contains(id) { ways[id, default: [:]][name, default: 0] += 1 }
                    }
                }
            }
        }
        // Where several lead to a row, that which leads to most of them: it was followed.
        var totals = [String: Int]()
        for names in ways.values {
            for name in names.keys { totals[name, default: 0] += 1 }
        }
        return ways.compactMapValues { names in
            names.keys.max { one, other in
                (totals[one] ?? 0, other) < (totals[other] ?? 0, one)
            }
        }
    }
}
