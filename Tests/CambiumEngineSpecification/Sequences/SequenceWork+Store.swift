import Cambium
import CambiumEngine
import CambiumModel

// What goes to the store: saves, batches, requests, the history.
extension SequenceWork {
    func anyPolicy() -> MergePolicy {
        [
            MergePolicy.error, .rollback, .overwrite, .storeTrump, .objectTrump,
            .custom(custom(basedOn: .objectTrump)), .custom(custom(basedOn: .storeTrump)),
        ].randomElement(using: &generator) ?? .error
    }

    /// A policy that notes what it is asked, and decides by what it sees.
    private func custom(basedOn base: MergePolicy) -> CustomMergePolicy {
        let transcript = transcript
        let model = container.coordinator.managedObjectModel
        @Sendable func words(_ values: [String: Value], _ id: ObjectID) -> String {
            let entity = model.entity(named: id.entityName)
            return Transcript.words(values, entity.map(model.relationships) ?? [])
        }
        return CustomMergePolicy(basedOn: base) { conflict in
            let id = conflict.objectID
            transcript.add(
                "? \(id) \(conflict.properties.sorted()) \(conflict.isDeletion) "
                    + "\(conflict.isRowDeleted) \(Transcript.words(version: conflict.oldVersion)) "
                    + "\(Transcript.words(version: conflict.newVersion)) ours "
                    + "\(words(conflict.objectValues, id)) base "
                    + "\(words(conflict.objectSnapshot, id)) theirs "
                    + "\(conflict.persistedSnapshot.map { words($0, id) } ?? "gone")")
            if conflict.objectValues["isOld"] == .bool(true) { conflict.policy = .rollback }
            if !conflict.isDeletion, !conflict.isRowDeleted, conflict.properties.contains("name") {
                try conflict.setValue(.string("both"), forKey: "name")
            }
        } resolveConstraint: { conflict in
            let values = words(conflict.constraintValues, conflict.conflictingObjectIDs[0])
            transcript.add(
                "? \(conflict.constraint) \(values) of "
                    + "\(conflict.databaseObjectID.map { "\($0)" } ?? "nobody") and "
                    + "\(conflict.conflictingObjectIDs)")
        }
    }

    func save(_ index: Int, _ policy: MergePolicy) {
        let context = contexts[index]
        context.mergePolicy = policy
        context.transactionAuthor = generator.chance(0.5) ? "author" : nil
        let name = if case .custom = policy { "custom" } else { "\(policy)" }
        let isSaved = attempt("\(index) save, \(name)") {
            try context.save()
            return context.hasChanges ? "has changes" : ""
        }
        if context.parent == nil { followHistory() }
        guard !isSaved else { return }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1:
            attempt("\(index) take over") {
                context.mergePending()
                context.refreshAllObjects()
                return ""
            }
        default:
            attempt("\(index) give up") {
                context.rollback()
                context.mergePending()
                return ""
            }
        }
    }

    /// Has an object checked for conflicts although it is not changed, or asks what is wrong with it.
    func guardObject(_ index: Int) {
        guard let object = pick(index, anyEntity()) else { return }
        let context = contexts[index]
        if generator.chance(0.5) {
            attempt("\(index) guard \(object.objectID)") {
                context.detectConflicts(for: object)
                return ""
            }
        } else {
            attempt("\(index) check \(object.objectID)") {
                context.validationErrors(of: object).map { "\($0)" }.sorted()
                    .joined(separator: "; ")
            }
        }
    }

    private func followHistory() {
        guard let token = historyToken else { return }
        attempt("history") {
            let result = try container.coordinator.fetchHistory(HistoryRequest(after: token))
            historyToken = result.token
            for transaction in result.transactions {
                transcript.add(
                    "transaction of \(transaction.contextName ?? "nobody"), "
                        + "\(transaction.author ?? "nobody")")
                let changes = transaction.changes.sorted {
                    ($0.objectID.entityName, $0.objectID.key)
                        < ($1.objectID.entityName, $1.objectID.key)
                }
                for change in changes { transcript.add(Self.words(change)) }
            }
            return ""
        }
    }

    private static func words(_ change: HistoryChange) -> String {
        "\(change.kind) \(change.objectID) \(change.updatedProperties.sorted()) old "
            + "\(Transcript.words(change.oldValues)) new \(Transcript.words(change.newValues)) "
            + "\(change.tombstone.map { Transcript.words($0) } ?? "")"
    }

    // MARK: Batches

    func batch(_ index: Int) {
        let merging: BatchMerging = generator.chance(0.8) ? .contexts : .none
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: batchDeletion(index, merging)
        case 1: batchInsertion(index, merging)
        default: batchUpdate(index, merging)
        }
        followHistory()
    }

    private func words(_ result: BatchResult) -> String {
        "\(result.count): \(Transcript.words(result.objectIDs)), inserted "
            + "\(Transcript.words(result.changes.inserted)) updated "
            + "\(Transcript.words(result.changes.updated)) deleted "
            + Transcript.words(result.changes.deleted)
    }

    private func batchDeletion(_ index: Int, _ merging: BatchMerging) {
        let entity = anyEntity()
        let objects = request(entity)
        attempt("\(index) batch delete \(objects), \(merging)") {
            var request = BatchDeleteRequest(objects)
            request.resultType = .objectIDs
            return try words(contexts[index].execute(request, merging: merging))
        }
    }

    private func batchUpdate(_ index: Int, _ merging: BatchMerging) {
        let entity = anyEntity()
        let objects = request(entity)
        var request = BatchUpdateRequest(objects)
        request.resultType = generator.chance(0.5) ? .objectIDs : .count
        var words: [String] = []
        let model = container.coordinator.managedObjectModel
        guard let attributes = model.entity(named: entity).map(settable) else { return }
        for attribute in attributes where generator.chance(0.25) {
            if attribute.name == "number", generator.chance(0.5) {
                request = request.setResult(of: "stock + nameLength", forKey: "number")
                words.append("number = stock + nameLength")
            } else {
                let value = value(of: attribute)
                request = request.setValue(value, forKey: attribute.name)
                words.append("\(attribute.name) = \(Transcript.words(value))")
            }
        }
        attempt("\(index) batch update \(objects), \(words), \(merging)") {
            try self.words(contexts[index].execute(request, merging: merging))
        }
    }

    private func batchInsertion(_ index: Int, _ merging: BatchMerging) {
        let entity =
            ["Thing", "Gadget", "Label", "Room"].randomElement(using: &generator) ?? "Label"
        let model = container.coordinator.managedObjectModel
        guard let attributes = model.entity(named: entity).map(settable) else { return }
        let rows = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            var row: [String: Value] = [:]
            for attribute in attributes where generator.chance(0.4) {
                row[attribute.name] = value(of: attribute)
            }
            return row
        }
        let policies: [MergePolicy] = [.error, .rollback, .overwrite, .storeTrump, .objectTrump]
        let policy = policies.randomElement(using: &generator) ?? .error
        let name = "\(index) batch insert \(entity) \(rows.map { Transcript.words($0) }), \(policy)"
        attempt("\(name), \(merging)") {
            var request = BatchInsertRequest<ManagedObject>(entityName: entity, objects: rows)
            request.mergePolicy = policy
            request.resultType = .objectIDs
            return try words(contexts[index].execute(request, merging: merging))
        }
    }

    // MARK: Requests

    /// A request for some of the objects of an entity.
    func request(_ entity: String) -> FetchRequest<ManagedObject> {
        let number = Int64.random(in: -2...4, using: &generator)
        let common = [
            "name == 'a'", "name CONTAINS[cd] 'E'", "name < 'b'", "name LIKE '*a*'",
            "name BEGINSWITH[c] 'B'",
        ]
        let own =
            switch entity {
            case "Thing", "Gadget":
                [
                    "number < \(number)", "twice + stock >= \(number)",
                    "shelf.name == 'a' OR isOld == true", "pieces.@count >= \(number)",
                    "ANY labels.weight > \(number)", "ALL friends.stock > \(number)",
                    "burden == labels.@sum.weight", "code IN {'c1', 'c2', 'c\(number)'}",
                    "idol.price > price", "pieceCount == \(number) AND roomName != nil",
                    "NOT (best == nil OR weight < \(number))",
                    "SUBQUERY(queue, $q, $q.weight > \(number)).@count > 0",
                    "mate.mateOf.stock == stock", "number * number > 10",
                ]
            case "Shelf":
                [
                    "worth > \(number) OR total == 0", "things.@max.number > \(number)",
                    "room.shelfCount > \(number)", "things.@count == thingCount",
                ]
            case "Room": ["total > \(number)", "shelves.@count == shelfCount"]
            case "Label":
                [
                    "weight BETWEEN {0, \(number)}", "ANY things.shelfName == 'a'",
                    "waiting.@count == thingCount",
                ]
            default: ["thingName == thing.name AND thing.stock < \(number)", "shelfName != nil"]
            }
        let request = FetchRequest<ManagedObject>(entityName: entity)
        guard generator.chance(0.85) else { return request }
        let one = own.randomElement(using: &generator) ?? ""
        let other = (own + common).randomElement(using: &generator) ?? ""
        return switch Int.random(in: 0..<6, using: &generator) {
        case 0: request.filter(format: "(\(one)) AND (\(other))")
        case 1: request.filter(format: "(\(one)) OR NOT (\(other))")
        case 2: request.filter(format: other)
        default: request.filter(format: one)
        }
    }

    func find(_ index: Int) {
        let entity = anyEntity()
        let context = contexts[index]
        let model = container.coordinator.managedObjectModel
        guard let attributes = model.entity(named: entity).map(model.attributes) else { return }
        var request = request(entity)
        request.sortOrders = attributes.filter { $0.type != .data && generator.chance(0.1) }
            .map { SortOrder($0.name, isDescending: generator.chance(0.5)) }
        if generator.chance(0.3) { request.limit = Int.random(in: 0..<4, using: &generator) }
        if generator.chance(0.3) { request.offset = Int.random(in: 0..<3, using: &generator) }
        request.includesPendingChanges = generator.chance(0.8)
        request.includesSubentities = generator.chance(0.8)
        request.returnsObjectsAsFaults = generator.chance(0.3)
        if generator.chance(0.2) { request.batchSize = 2 }
        attempt("\(index) find \(request)") {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                return "\(try context.count(for: request))"
            case 1:
                let names = attributes.map(\.name).filter { _ in generator.chance(0.2) }
                return try context.fetch(request.dictionaries(names.isEmpty ? ["name"] : names))
                    .map { Transcript.words($0) }.joined(separator: "; ")
            default:
                return "\(try context.fetch(request).map(\.objectID))"
            }
        }
    }
}
