import CambiumRecords
import CambiumSQLiteStore

/// Sets the relationships of imported objects that their rows do not hold, or did not know.
final class ImportLinker {
    private let request: ImportRequest
    private let sources: [ExchangePlans]
    private let transaction: any BatchTransaction
    private let lookup: ImportTargetLookup
    private let log: ImportLog
    private var tasks: [ImportLinkTask] = []
    /// Links to objects that may come later.
    private let waiting = Spool(JSONForm<ImportLinkTask>())
    /// Sources that have rows which wait, and so may still deliver what others lead to.
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

    /// Takes note that a row of a source waits for what it leads to.
    func noteWaiting(_ source: Int) {
        sourcesThatWait.insert(source)
    }

    /// Whether objects of an entity may come with the rest of a source, or with a later one.
    func mayCome(_ destination: EntityDescription, after source: Int) -> Bool {
        sources.indices.contains { number in
            (number >= source || sourcesThatWait.contains(number))
                && sources[number].plans.contains {
                    transaction.model.haveCommon($0.entity, destination)
                }
        }
    }

    /// The error of a row that leads to an object which is not there.
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
        for (place, tasks) in groups.sorted(by: { $0.key < $1.key }) {
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
                    // Left out: a to-one stays as it is, and a list has the others.
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
            tasks, in: transaction, goesOn: request.onError == .keepGoodRows
        ) { tasks in
            do {
                try writer.write(tasks.map { ($0.owner, $0.targets ?? []) })
            } catch let refusal as RefusedLink {
                // Of several tasks for one object the last one counts.
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
