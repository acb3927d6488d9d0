import CambiumRecords

/// The reads of a context while a closure ran, see ``ManagedObjectContext/reads(during:)``.
public struct ReadReport: Sendable, Hashable {
    /// A relationship that was read object by object: the N + 1 problem.
    public struct Repetition: Sendable, Hashable {
        /// The entity that has the relationship.
        public let entityName: String
        /// The relationship.
        public let relationshipName: String
        /// The number of statements.
        public let count: Int

        /// The call to add to the request for the objects that have the relationship.
        public var remedy: String {
            ".prefetching(\(entityName).\(relationshipName))"
        }
    }

    /// The purpose of each statement, in order.
    public let reads: [String]
    /// The relationships that were read with several statements, sorted by the number of
    /// statements.
    public let repetitions: [Repetition]

    /// The number of statements.
    public var count: Int { reads.count }
}

extension ReadReport: CustomStringConvertible {
    /// The number of statements, the relationships to prefetch, and the purpose of each statement.
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

/// An error that is thrown if a closure takes more statements than its limit, see
/// ``ManagedObjectContext/withReads(atMost:fileID:line:_:)``.
public struct TooManyReadsError: Error, Sendable, CustomStringConvertible {
    /// The maximum number of statements.
    public let limit: Int
    /// The statements of the closure.
    public let report: ReadReport
    /// The file and the line of the closure.
    public let place: String

    /// The limit, the place and the report.
    public var description: String {
        "The block at \(place) may read with \(limit) statement\(limit == 1 ? "" : "s"). It took "
            + "\(report)"
    }
}

extension ManagedObjectContext {
    /// Runs a closure and reports the reads of the context meanwhile. Use it in tests and to find
    /// slow code; it needs no options and no test library.
    ///
    /// Each statement that reads counts. Data that the context or the row cache already has needs
    /// no statement. Saves and other contexts do not count. If calls are nested, the inner report
    /// counts.
    ///
    /// ```swift
    /// let (_, report) = try context.reads { try makeTable(context) }
    /// assert(report.repetitions.isEmpty, "\(report)")
    /// ```
    ///
    /// - Throws: The error that the closure throws.
    public func reads<Result>(
        during body: () throws -> Result
    ) rethrows -> (result: Result, report: ReadReport) {
        let log = reads.startLog()
        defer { reads.end(log) }
        let result = try body()
        return (result, ReadReporting(context: self).report(on: log))
    }

    /// Runs an asynchronous closure in the isolation of the caller, and reports the reads of the
    /// context meanwhile.
    ///
    /// If other code uses the context while the closure is suspended, its reads count too. During
    /// the report, background fetches run in the context's own isolation.
    ///
    /// - Throws: The error that the closure throws.
    public func reads<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, during body: () async throws -> Result
    ) async rethrows -> (result: Result, report: ReadReport) {
        let log = reads.startLog()
        defer { reads.end(log) }
        let result = try await body()
        return (result, ReadReporting(context: self).report(on: log))
    }

    /// Runs a closure, with a limit for the number of statements that read.
    ///
    /// ```swift
    /// try context.withReads(atMost: 2) {
    ///     for product in try context.fetch(request) { print(product.category?.name ?? "") }
    /// }
    /// ```
    ///
    /// - Throws: ``TooManyReadsError`` if it took more statements; its description names the
    ///   relationship to prefetch. The error that the closure throws.
    public func withReads<Result>(
        atMost limit: Int, fileID: StaticString = #fileID, line: UInt = #line,
        _ body: () throws -> Result
    ) throws -> Result {
        let (result, report) = try reads(during: body)
        try report.check(atMost: limit, "\(fileID):\(line)")
        return result
    }

    /// Runs an asynchronous closure in the isolation of the caller, with a limit for the number of
    /// statements that read.
    ///
    /// ```swift
    /// try await context.withReads(atMost: 3) { await screen.reload() }
    /// ```
    ///
    /// If other code uses the context while the closure is suspended, its reads count too. During
    /// the report, background fetches run in the context's own isolation.
    ///
    /// - Throws: ``TooManyReadsError`` if it took more statements; its description names the
    ///   relationship to prefetch. The error that the closure throws.
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

/// Makes the report of a context's reads.
struct ReadReporting: ContextAccess {
    let context: ManagedObjectContext

    /// Returns the report of a log. It finds the relationship that caused a fault afterwards, in
    /// the registered objects, so that following a relationship costs nothing without a log.
    func report(on log: ReadLog) -> ReadReport {
        var tallies = [String: Int]()
        let faults = log.events.compactMap { event in
            if case .fault(let root, let key) = event {
                RowIdentity(root: root.rootIndex, key: key)
            } else {
                nil
            }
        }
        let ways = relationships(referencing: Set(faults))
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

    /// Returns the name of a relationship, such as `Product.category`.
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
            return "\(root.name)/\(key) alone" + (way.map { ", which \($0) references" } ?? "")
        case .faults(let entity, let count): return "\(count) objects of \(entity.name) together"
        case .links(let owner, let relationship):
            return "\(name(of: relationship, owner)) of one object"
        case .allLinks(let relationship, let count):
            return "\(relationship.relationship.name) of \(count) objects together"
        }
    }

    /// Returns the relationships that reference rows, according to the objects that have values.
    private func relationships(referencing rows: Set<RowIdentity>) -> [RowIdentity: String] {
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
        // If several relationships reference a row, the one that references most of the rows
        // counts.
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
