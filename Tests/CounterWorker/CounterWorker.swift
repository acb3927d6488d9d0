import Cambium
import CambiumPostgres
import Foundation
import Synchronization

/// Raises ``SharedCounters`` in eight contexts at once:
///
///     COUNTER_URL=URL CounterWorker SCHEMA NUMBER SAVES POLICY...
///
/// NUMBER tells the processes apart, SAVES is for each context, and the contexts take the policies in
/// turn. Prints a ``WorkReport``.
@main
enum CounterWorker {
    private static let contexts = 8

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let url = ProcessInfo.processInfo.environment["COUNTER_URL"], arguments.count >= 4,
            let number = Int(arguments[2]), let saves = Int(arguments[3])
        else { exit(64) }
        let policies = Array(arguments[4...])
        // Fewer connections than contexts, so that they wait for each other.
        var options = PostgresOptions()
        options.poolSize = 5
        let container = try PersistentContainer(
            model: SharedCounters.model,
            at: .postgres(url, schema: arguments[1], options: options))
        let report = Mutex(WorkReport())
        let isDone = DispatchGroup()
        for place in 0..<contexts {
            isDone.enter()
            let thread = Thread {
                defer { isDone.leave() }
                let policy = policies[(place + number) % policies.count]
                var work = CounterWork(policy: policy, owner: number * contexts + place)
                do {
                    try work.run(saves, in: container)
                } catch {
                    work.report.failures.append("\(policy): \(error)")
                }
                report.withLock { $0 += work.report }
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        isDone.wait()
        try FileHandle.standardOutput.write(
            contentsOf: JSONEncoder().encode(report.withLock { $0 }))
    }
}

/// What one context does: at random, and not to be replayed, for the other processes go on meanwhile.
private struct CounterWork {
    let policy: String
    let owner: Int
    var report = WorkReport()
    /// The entries that this context has made, which nobody else deletes, by their counters.
    private var entries: [ObjectID: [ManagedObject]] = [:]

    init(policy: String, owner: Int) {
        self.policy = policy
        self.owner = owner
    }

    mutating func run(_ saves: Int, in container: PersistentContainer) throws {
        let context = container.newContext()
        guard let mergePolicy = SharedCounters.policy(named: policy) else { exit(64) }
        context.mergePolicy = mergePolicy
        let names = SharedCounters.counterNames(policy)
        let counters = try context.fetch(FetchRequest<ManagedObject>(entityName: "Counter"))
            .filter { names.contains($0[text: "name"]) }
        for _ in 0..<saves {
            // A context that is behind meets conflicts.
            if chance(0.3) { context.refreshAllObjects() }
            try step(counters, context)
        }
    }

    private mutating func step(
        _ counters: [ManagedObject], _ context: ManagedObjectContext
    ) throws {
        var counts: [String: Int] = [:]
        var entries = entries
        for counter in counters.shuffled().prefix(Int.random(in: 1...2)) {
            if chance(0.2), let entry = entries[counter.objectID]?.popLast() {
                counter[number: "sum"] -= entry[number: "amount"]
                context.delete(entry)
            } else {
                let entry = try context.insertObject(ofEntity: "Entry")
                entry[number: "amount"] = Int64.random(in: 1...9)
                try entry.setRelatedObject(counter, forKey: "counter")
                counter[number: "sum"] += entry[number: "amount"]
                entries[counter.objectID, default: []].insert(entry, at: 0)
            }
            if chance(0.5) {
                counter[number: "count"] += 1
                counts[counter[text: "name"], default: 0] += 1
            }
        }
        var marks: [String: Int] = [:]
        if chance(0.3) {
            let key = SharedCounters.key(
                policy, Int.random(in: 0..<SharedCounters.keysForEach))
            let mark = try context.insertObject(ofEntity: "Mark")
            mark[text: "key"] = key
            mark[number: "owner"] = Int64(owner)
            marks[key] = 1
        }
        do {
            try context.save()
            self.entries = entries
            report.saves += 1
            report.counts.merge(counts, uniquingKeysWith: +)
            report.marks.merge(marks, uniquingKeysWith: +)
        } catch is ConflictError where policy == "error" {
            abandon(context)
        } catch is ConstraintConflictError where policy == "error" {
            abandon(context)
        }
    }

    private mutating func abandon(_ context: ManagedObjectContext) {
        report.conflicts += 1
        context.rollback()
        context.refreshAllObjects()
    }

    private func chance(_ chance: Double) -> Bool {
        Double.random(in: 0..<1) < chance
    }
}
