import CambiumRecords
import CambiumSQLiteStore

/// Sets the relationships of imported objects that are not stored in their rows, or that have
/// unknown destinations when the rows are written.
final class ImportLinker {
    private let request: ImportRequest
    private let sources: [ExchangePlans]
    private let transaction: any BatchTransaction
    private let lookup: ImportTargetLookup
    private let log: ImportLog
    private var tasks: [ImportLinkTask] = []
    /// Links to objects that may come later.
    private let waiting = Spool(JSONForm<ImportLinkTask>())
    /// Sources with waiting rows. They may still deliver destinations for other rows.
    private var sourcesThatWait: Set<Int> = []

    private static let sliceSize = 4096

    init(
        _ request: ImportRequest, _ sources: [ExchangePlans], _ transaction: any BatchTransaction,
        _ lookup: ImportTargetLookup, _ log: ImportLog
    ) {
        self.request = request
        self.sources = sources
        self.transaction = transaction
        self.lookup = lookup
        self.log = log
    }

    /// Records that a row of a source waits for the destination of a relationship.
    func noteWaiting(_ source: Int) {
        sourcesThatWait.insert(source)
    }

    /// Whether objects of an entity may come later, in the rest of a source or in a later one.
    func mayCome(_ destination: EntityDescription, after source: Int) -> Bool {
        sources.indices.contains { number in
            (number >= source || sourcesThatWait.contains(number))
                && sources[number].plans.contains {
                    transaction.model.haveCommon($0.entity, destination)
                }
        }
    }

    /// The error of a row that references an object that does not exist.
    func missing(
        _ relationship: ExchangeRelationship, _ plan: ExchangePlan, _ line: Int
    ) -> ImportRow.Problem {
        let field = plan.field(of: relationship.name)
        return ImportRow.Problem(
            line: line, column: nil, field: field,
            message: "\(field) references no \(relationship.destination.name) that exists. "
                + "Import that one too, or correct the key.",
            underlying: BatchInsertion.missingTarget(relationship.description, of: plan.entity))
    }

    func add(_ tasks: [ImportLinkTask]) throws {
        self.tasks += tasks
    }

    /// Sets all links that can be set now; the others wait.
    func settle() throws {
        let tasks = self.tasks
        self.tasks = []
        try settle(tasks, isLast: false)
    }

    /// Sets the links that have waited.
    func settleWaiting() throws {
        while case let tasks = try waiting.next(Self.sliceSize), !tasks.isEmpty {
            try Task.checkCancellation()
            try settle(tasks, isLast: true)
        }
    }

    private func settle(_ tasks: [ImportLinkTask], isLast: Bool) throws {
        let groups = Dictionary(grouping: tasks) {
            Place(source: $0.source, plan: $0.plan, relationship: $0.relationship)
        }
        for (place, tasks) in groups.ordered(by: { $0.key < $1.key }) {
            try settle(tasks, place, isLast: isLast)
        }
    }

    private struct Place: Hashable, Comparable {
        let source: Int
        let plan: Int
        let relationship: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.source, one.plan, one.relationship)
                < (other.source, other.plan, other.relationship)
        }
    }

    /// Sets one relationship of several objects.
    private func settle(_ tasks: [ImportLinkTask], _ place: Place, isLast: Bool) throws {
        let plan = sources[place.source].plans[place.plan]
        let relationship = plan.relationships[place.relationship]
        let unknown = tasks.filter { $0.targets == nil }
        let found = try lookup.find(
            Set(unknown.flatMap(\.keys)), relationship, remembers: false)
        var ready: [ImportLinkTask] = []
        for var task in tasks {
            if task.targets == nil {
                let known = task.keys.compactMap { found[$0] }
                if known.count < task.keys.count {
                    guard isLast else {
                        try waiting.append(task)
                        continue
                    }
                    guard request.missingTargets == .skip else {
                        try log.add(
                            missing(relationship, plan, task.line), source: task.source)
                        continue
                    }
                    // If a link is left out, a to-one keeps its destination, and a list gets the
                    // others.
                    guard relationship.description.isToMany else { continue }
                }
                task.targets = known
            }
            ready.append(task)
        }
        try write(ready, relationship, plan)
    }

    private func write(
        _ tasks: [ImportLinkTask], _ relationship: ExchangeRelationship, _ plan: ExchangePlan
    ) throws {
        guard !tasks.isEmpty else { return }
        let writer = ImportLinkWriter(
            transaction: transaction, entity: plan.entity, relationship: relationship.description)
        try keepingGood(
            tasks, in: transaction, shouldContinue: request.onError == .skipInvalidRows
        ) { tasks in
            do {
                try writer.write(tasks.map { ($0.owner, $0.targets ?? []) })
            } catch let refusal as RefusedLink {
                // If several tasks are for one object, the last one is used.
                guard let index = tasks.lastIndex(where: { $0.owner == refusal.owner }) else {
                    throw refusal.underlying
                }
                throw RefusedItem(
                    index: index - tasks.startIndex, underlying: refusal.underlying)
            }
        } refused: { task, error in
            try log.add(error, plan, source: task.source, line: task.line)
        }
    }
}

/// A relationship of an imported object that is set after its row was written.
struct ImportLinkTask: Codable {
    let source: Int
    /// The number of the object's plan among the plans of the source.
    let plan: Int
    let line: Int
    /// The number of the relationship in the plan.
    let relationship: Int
    /// The keys of all destinations that the relationship gets. Others are removed.
    let keys: [ExchangeKey]
    /// The keys of the destinations in the store, or nil until all of them are known.
    var targets: [Int64]?
    /// The key of the object.
    var owner: Int64 = 0

    /// Returns the task for an object.
    func of(_ owner: Int64) -> ImportLinkTask {
        var task = self
        task.owner = owner
        return task
    }
}

/// Finds objects by their unique values, many with one statement.
final class ImportTargetLookup {
    private let transaction: any BatchTransaction
    /// The objects found so far, by the number of the destination and the names of the key.
    private var known: [Place: [ExchangeKey: Int64]] = [:]

    private struct Place: Hashable {
        let destination: Int
        let properties: [String]
    }

    private static let maximumKnown = 100_000

    init(_ transaction: any BatchTransaction) {
        self.transaction = transaction
    }

    /// Discards the cached results. Call it before rows of another source are written.
    func forget() {
        known = [:]
    }

    /// The keys of the objects that have the values.
    ///
    /// - Parameter remembers: Whether the answers stay true until ``forget()``.
    func find(
        _ keys: Set<ExchangeKey>, _ relationship: ExchangeRelationship, remembers: Bool
    ) throws -> [ExchangeKey: Int64] {
        guard !keys.isEmpty, let key = relationship.key else { return [:] }
        // If a key contains a relationship, changes to rows of other entities can make a cached
        // result wrong.
        guard remembers, key.hasAttributesOnly else {
            return try find(keys, relationship.destination, key)
        }
        let place = Place(
            destination: relationship.destination.index, properties: key.unique.properties)
        var known = self.known.removeValue(forKey: place) ?? [:]
        let unknown = keys.filter { known[$0] == nil }
        if known.count > Self.maximumKnown {
            known = known.filter { keys.contains($0.key) }
        }
        if !unknown.isEmpty {
            known.merge(try find(unknown, relationship.destination, key)) { $1 }
        }
        self.known[place] = known
        return known
    }

    /// Finds objects with one statement, and one for each relationship that the key includes.
    private func find(
        _ keys: Set<ExchangeKey>, _ destination: EntityDescription, _ key: ExchangeKeyShape
    ) throws -> [ExchangeKey: Int64] {
        var linked: [Int: [ExchangeKey: Int64]] = [:]
        for column in key.columns {
            guard case .relationship(_, let destination, let inner) = column.content else {
                continue
            }
            let innerKeys = Set(keys.map { $0.part(column.parts) })
            linked[column.slot] = try find(innerKeys, destination, inner)
        }
        let shape = key.declarer.shape
        let writer = RecordWriter()
        var wanted: [ExchangeKey] = []
        var records: [PlacedRecord] = []
        search: for exchanged in keys {
            var placed = writer.makeRecord(shape, room: 64)
            for column in key.columns {
                if let found = linked[column.slot] {
                    guard let target = found[exchanged.part(column.parts)] else { continue search }
                    placed.record.setInteger(column.slot, target)
                } else {
                    let value = exchanged.values[column.parts.lowerBound]
                    writer.set(value, column.slot, of: &placed, shape)
                }
            }
            // No row has such a key.
            placed.record.key = -1 - Int64(wanted.count)
            wanted.append(exchanged)
            records.append(placed)
        }
        guard !records.isEmpty else { return [:] }
        var found: [ExchangeKey: Int64] = [:]
        try withExtendedLifetime(records) {
            for holder in try transaction.lookup.holders(
                of: key.unique, records.map(\.record), key.declarer)
            {
                found[wanted[Int(-1 - holder.record)]] = holder.row
            }
        }
        return try ofDestination(found, destination, key)
    }

    /// Leaves out objects that have the values and are of another branch of the hierarchy than the
    /// destination.
    private func ofDestination(
        _ found: [ExchangeKey: Int64], _ destination: EntityDescription, _ key: ExchangeKeyShape
    ) throws -> [ExchangeKey: Int64] {
        let family = transaction.model.families[destination.index]
        guard family.count < transaction.model.families[key.declarer.index].count else {
            return found
        }
        let root = transaction.model.entities[destination.rootIndex]
        let rowKeys = try transaction.rowKeys(
            RowRequest(entity: root, selection: .keys(Array(found.values))))
        let fitting = Set(rowKeys.filter { family.contains($0.entity) }.map(\.key))
        return found.filter { fitting.contains($0.value) }
    }
}
