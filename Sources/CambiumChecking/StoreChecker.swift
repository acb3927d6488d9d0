import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords

/// Checks a complete store: every value, rule and link of every object, derived values, large
/// values, the counters of keys, and everything that the engine itself can check. Memory holds a
/// page of objects, and the names of large values that are kept in files.
///
/// If possible, the store is read in its state at one moment, while others write.
package final class StoreChecker {
    /// The progress of a check.
    package struct Progress: Sendable {
        /// From 0 to 1.
        package let fraction: Double
        /// A description of the current part of the check.
        package let summary: String
    }

    private let engine: any StoreEngine
    private let model: ModelDescription
    private let roots: [EntityDescription]
    /// The maximum number of findings of each kind that are listed; further ones are counted.
    private let limit: Int
    /// Called with the progress of the check. Default: does nothing.
    package var progress: (Progress) -> Void = { _ in }
    /// Called between pages; true cancels the check. Default: false.
    package var isCancelled: () -> Bool = { false }

    private var kinds: [StoreFinding.Kind: StoreFindings] = [:]
    /// The root entities that something was found in.
    private var faultyRoots: Set<String> = []
    private var objectCount = 0
    /// The greatest keys of the rows, by the number of the root entity.
    private var lastKeys: [Int: Int64] = [:]
    private var externalNames: Set<String> = []
    private var missing: [ExternalValue] = []

    private static let pageSize = 1_000
    /// How many missing large values are noted before they are looked for again.
    private static let missingAtOnce = 10_000

    /// A large value that a row references.
    private struct ExternalValue {
        let root: EntityDescription
        let entity: String
        let key: Int64
        let property: String
        let name: String
    }

    /// - Parameters:
    ///   - roots: The numbers of the root entities that the store holds; nil for all.
    ///   - limit: The maximum number of findings of each kind that are listed; further ones are
    ///     counted.
    package init(
        _ engine: any StoreEngine, _ model: ModelDescription, roots: Set<Int>? = nil,
        limit: Int = 100
    ) {
        self.engine = engine
        self.model = model
        self.limit = limit
        self.roots = model.entities.filter { entity in
            entity.index == entity.rootIndex && roots?.contains(entity.index) ?? true
        }
    }

    /// Checks everything.
    ///
    /// - Throws: The errors of reading; `CancellationError`.
    package func check() throws -> StoreCheckResult {
        let differences = try engine.differences().filter { $0.kind != .external }
        add(
            differences.map {
                StoreFinding(.schemaDiffers, "\($0.description) differs from the model")
            })
        do {
            try checkContents()
        } catch let error as CancellationError {
            throw error
        } catch {
            // A table or column that another program has removed cannot be read.
            guard !differences.isEmpty else { throw error }
            add([
                StoreFinding(
                    .schemaDiffers,
                    "the objects could not be checked: \(StoreFiles.reason(for: error))")
            ])
        }
        progress(Progress(fraction: 1, summary: "done"))
        return StoreCheckResult(
            objectCount: objectCount,
            findings: StoreFinding.Kind.allCases.compactMap { kinds[$0] })
    }

    /// Repairs the findings of ``check()`` that need no decision about data.
    package func repair() throws -> [StoreRepair] {
        let kinds = Set(self.kinds.keys.filter(\.isRepairable))
        guard !kinds.isEmpty else { return [] }
        return try engine.repair(kinds, externalNames: externalNames)
    }

    private func add(_ findings: [StoreFinding], count: Int? = nil) {
        for finding in findings {
            if finding.key != nil, let name = finding.entityName, let entity = model[name] {
                faultyRoots.insert(model.entities[entity.rootIndex].name)
            }
        }
        for (kind, findings) in Dictionary(grouping: findings, by: \.kind) {
            kinds[kind, default: StoreFindings(kind)].add(
                findings, count: count ?? findings.count, limit: limit)
        }
    }

    private func checkContents() throws {
        // A save at this moment may write files that are not in the rows yet.
        externalNames = try engine.settledExternalNames() ?? []
        let store: any SharedStore = engine.keepsGenerations ? try engine.pin() : engine
        var total = 0
        for root in roots {
            total += try store.count(RowRequest(entity: root, selection: .matching(nil, [:])))
        }
        for root in roots { try checkRows(of: root, in: store, total: total) }
        for entity in model.entities where roots.contains(where: { $0.index == entity.rootIndex }) {
            try checkTogether(entity, store)
        }
        for root in roots { try checkKeys(of: root) }
        progress(Progress(fraction: 0.9, summary: "pairs, lists and derived values"))
        try store.findFaults(atMost: limit) { findings, count in
            if isCancelled() { throw CancellationError() }
            // The engine may report a problem of a table that was already found row by row.
            let kept = findings.filter { finding in
                finding.kind != .integrity || finding.key != nil
                    || !faultyRoots.contains(finding.entityName ?? "")
            }
            if !kept.isEmpty { add(kept, count: count - findings.count + kept.count) }
        }
        try settleExternalData()
    }

    private func step(_ fraction: Double, _ summary: String) throws {
        if isCancelled() { throw CancellationError() }
        progress(Progress(fraction: fraction, summary: summary))
    }

    // MARK: Row by row

    private func checkRows(
        of root: EntityDescription, in store: any SharedStore, total: Int
    ) throws {
        let checks = model.families[root.index].map { model.entities[$0] }
            .reduce(into: [Int: ValueCheck]()) { $0[$1.index] = ValueCheck($1) }
        let links = LinkCheck(store: store, model: model)
        var last: Int64?
        while true {
            try step(0.7 * Double(objectCount) / Double(max(total, 1)), root.name)
            let keys = try store.keys(ofRoot: root, after: last, atMost: Self.pageSize)
            guard let greatest = keys.last else { return }
            last = greatest
            lastKeys[root.index] = greatest
            let rows = try rows(keys, root, store)
            objectCount += rows.count
            try withExtendedLifetime(rows) {
                // A row of no real entity is reported by the engine.
                let sound = rows.filter { !$0.entity.isAbstract }
                for (entity, placed) in sound {
                    guard let check = checks[entity.index] else { continue }
                    add(
                        try check.findings(in: placed.record) { name, attribute in
                            try data(named: name, of: attribute, placed.record, entity, store)
                        })
                }
                add(try links.findings(in: sound.map { ($0.entity, $0.placed.record) }))
            }
            if missing.count >= Self.missingAtOnce {
                try settleMissing(engine.settledExternalNames())
            }
        }
    }

    private func rows(
        _ keys: [Int64], _ root: EntityDescription, _ store: any SharedStore
    ) throws -> [(entity: EntityDescription, placed: PlacedRecord)] {
        func read(_ keys: [Int64]) throws -> [(EntityDescription, PlacedRecord)] {
            let writer = RecordWriter()
            var rows: [(EntityDescription, PlacedRecord)] = []
            try store.fetch(RowRequest(entity: root, selection: .keys(keys))) { row in
                rows.append((model.entities[row.entity], try row.record(in: writer)))
            }
            return rows
        }
        do {
            return try read(keys)
        } catch let error as StoreError where error.code == .corrupt {
            // One of them cannot be read.
            return keys.flatMap { key in
                do {
                    return try read([key])
                } catch {
                    add([
                        StoreFinding(
                            .unreadableValue, entityName: root.name, key: key,
                            "the row cannot be read")
                    ])
                    return []
                }
            }
        }
    }

    /// Reads a large value. If it cannot be read, that is noted.
    private func data(
        named name: String, of attribute: Attribute, _ record: Record,
        _ entity: EntityDescription, _ store: any SharedStore
    ) throws -> Data? {
        externalNames.remove(name)
        do {
            return try store.externalData(named: name)
        } catch {
            missing.append(
                ExternalValue(
                    root: model.entities[entity.rootIndex], entity: entity.name, key: record.key,
                    property: attribute.name, name: name))
            return nil
        }
    }

    /// Since the moment that was read, a save may have replaced a missing value.
    ///
    /// - Parameter names: The names of the files now; nil if the large values are not in files.
    private func settleMissing(_ names: Set<String>?) throws {
        defer { missing = [] }
        for value in missing {
            let row = try engine.readRow(
                value.key, ofRoot: value.root, at: nil, into: RecordWriter())
            guard let row, let slot = model.entities[row.entity].layout.slot(of: value.property),
                row.placed.record.hasValue(slot),
                row.placed.record.holds([ExternalForm.file] + Array(value.name.utf8), slot)
            else { continue }
            let isMissing: Bool
            do {
                _ = try engine.externalData(named: value.name)
                continue
            } catch {
                let isReported = (error as? StoreError)?.code == .missingFile
                isMissing = names.map { !$0.contains(value.name) } ?? isReported
            }
            add([
                StoreFinding(
                    isMissing ? .missingExternalData : .unreadableExternalData,
                    entityName: value.entity, key: value.key, property: value.property,
                    isMissing
                        ? "the large value does not exist" : "the large value cannot be read")
            ])
        }
    }

    /// The same for all, and for unreferenced values, which a save may have removed.
    private func settleExternalData() throws {
        let names = try engine.settledExternalNames()
        try settleMissing(names)
        externalNames.formIntersection(names ?? [])
        add(
            externalNames.sorted().map {
                StoreFinding(.unreferencedExternalData, "no object references the file \($0)")
            })
    }

    // MARK: Entity by entity

    /// Runs the checks that are queries: rules, counts of links, and unique values.
    private func checkTogether(_ entity: EntityDescription, _ store: any SharedStore) throws {
        try step(0.8, entity.name)
        for rule in entity.entity.rules {
            try find(.not(rule.condition), of: entity, store) { name, key in
                StoreFinding(
                    .ruleViolated, entityName: name, key: key, property: rule.name,
                    rule.message ?? "the rule is violated")
            }
        }
        for relationship in entity.entity.relationships
        where relationship.isToMany && !relationship.isTransient {
            try checkCount(of: relationship, entity, store)
        }
        for key in model.uniqueKeys where key.declarer == entity.index {
            try checkUnique(key, entity, store)
        }
    }

    private func find(
        _ condition: ModelExpression, of entity: EntityDescription, _ store: any SharedStore,
        _ finding: (_ entity: String, _ key: Int64) -> StoreFinding
    ) throws {
        var request = RowRequest(
            entity: entity, selection: .matching(condition, [:]), limit: limit)
        request.readsKeysOnly = true
        var findings: [StoreFinding] = []
        try store.fetch(request) { row in
            findings.append(finding(model.entities[row.entity].name, row.key))
        }
        if findings.isEmpty { return }
        var count = findings.count
        if count == limit {
            request.limit = nil
            count = try store.count(request)
        }
        add(findings, count: count)
    }

    private func checkCount(
        of relationship: Relationship, _ entity: EntityDescription, _ store: any SharedStore
    ) throws {
        let number = ModelExpression.aggregate(
            .count, .keyPath(root: .subject, names: [relationship.name]))
        func isCount(_ relation: ComparisonOperator, _ limit: Int) -> ModelExpression {
            .comparison(number, relation, .literal(.int(Int64(limit))), [])
        }
        if let minimum = relationship.minimumCount, minimum > 0 {
            let isTooSmall = isCount(.less, minimum)
            // An optional one may be empty.
            let condition =
                relationship.isOptional ? .and([isTooSmall, isCount(.greater, 0)]) : isTooSmall
            try find(condition, of: entity, store) { name, key in
                StoreFinding(
                    .tooFewLinks, entityName: name, key: key, property: relationship.name,
                    "it has fewer than \(minimum) objects")
            }
        }
        if let maximum = relationship.maximumCount {
            try find(isCount(.greater, maximum), of: entity, store) { name, key in
                StoreFinding(
                    .tooManyLinks, entityName: name, key: key, property: relationship.name,
                    "it has more than \(maximum) objects")
            }
        }
    }

    private func checkUnique(
        _ unique: UniqueKey, _ entity: EntityDescription, _ store: any SharedStore
    ) throws {
        let paths = unique.properties.map { ModelExpression.keyPath(root: .subject, names: [$0]) }
        let key = ModelExpression.keyPath(root: .subject, names: [])
        let hasValues = ModelExpression.and(
            paths.map { .comparison($0, .notEqual, .literal(.null), []) })
        var query = ResultQuery(paths.map { ResultExpression($0) })
        query.groups = paths
        query.having = .comparison(ResultExpression(.count, of: key), .greater, .int(1))
        let typed = try TypedResults(
            checking: query, entity: entity.entity, model: model.model)
        var request = RowRequest(entity: entity, selection: .matching(hasValues, [:]))
        request.limit = Self.pageSize
        while true {
            let groups = try store.results(request, typed)
            for group in groups {
                let values = group.prefix(paths.count)
                let isOfGroup = ModelExpression.and(
                    zip(paths, values).map { .comparison($0, .equal, .literal($1), []) })
                try checkGroup(isOfGroup, unique, entity, store)
            }
            guard groups.count == Self.pageSize else { return }
            request.offset += groups.count
        }
    }

    /// Names the objects that share values with one before them.
    private func checkGroup(
        _ condition: ModelExpression, _ unique: UniqueKey, _ entity: EntityDescription,
        _ store: any SharedStore
    ) throws {
        var request = RowRequest(entity: entity, selection: .matching(condition, [:]))
        request.readsKeysOnly = true
        request.limit = limit + 1
        var rows: [(name: String, key: Int64)] = []
        try store.fetch(request) { rows.append((model.entities[$0.entity].name, $0.key)) }
        guard let first = rows.first else { return }
        var count = rows.count
        if count > limit {
            request.limit = nil
            count = try store.count(request)
        }
        let property = unique.properties.joined(separator: ", ")
        add(
            rows.dropFirst().map { row in
                StoreFinding(
                    unique.isPartner ? .severalPartners : .notUnique, entityName: row.name,
                    key: row.key, property: property,
                    unique.isPartner
                        ? "it references the same object as \(first.name)/\(first.key)"
                        : "it has the same value as \(first.name)/\(first.key)")
            }, count: count - 1)
    }

    // MARK: Keys

    private func checkKeys(of root: EntityDescription) throws {
        guard let last = lastKeys[root.index] else { return }
        do {
            guard let next = try engine.nextKey(ofRoot: root.index), next <= last else { return }
        } catch let error as StoreError where error.code == .corrupt {}
        add([
            StoreFinding(
                .keyCounter, entityName: root.name,
                "the next key is not greater than \(last), which was given")
        ])
    }
}

extension StoreOptions {
    /// The options for checking a store, and for repairing it if requested. Other data is not
    /// changed. The store is read in its state at one moment, however long that takes.
    package func checking(repairs: Bool) -> StoreOptions {
        var options = self
        options.isReadOnly = !repairs
        options.migratesAutomatically = false
        options.draftPolicy = .refuse
        options.driftPolicy = .report
        options.followsRemoteChanges = false
        options.queryGenerationLifetime = .seconds(7 * 86_400)
        options.queryGenerationLogSize = .max
        return options
    }
}

/// The findings of a check of a store.
package struct StoreCheckResult: Sendable {
    /// The number of objects in the store.
    package let objectCount: Int
    /// The findings, by kind; empty if there are none.
    package let findings: [StoreFindings]
}
