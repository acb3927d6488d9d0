import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// Checks without constraints on the server: one partner in a one-to-one, and rules that only the
/// program can check.
struct RowChecks {
    let layout: PostgresLayout
    let connection: PostgresConnection
    let source: RowSource
    private var model: ModelDescription { layout.model }

    /// The questions whether other rows have the partners of rows of the request.
    func partnerQuestions(_ request: SaveRequest) -> SaveQuestions {
        var questions = SaveQuestions()
        guard source.stages.contains(.partners) else { return questions }
        func add(_ records: [Record], _ entity: EntityDescription, _ slots: SlotSet?) {
            for key in model.partnerKeys[entity.index] {
                if let slots, slots.intersection(key.writtenSlots).isEmpty { continue }
                if key.isOwnInverse {
                    questions.ownInverses.append((key, entity, records))
                } else {
                    questions.claims.append(
                        (key, entity, records.filter { $0.hasValue(key.slots[0]) }))
                }
            }
        }
        for update in request.updates { add(update.records, update.entity, update.slots) }
        for insertion in request.insertions { add(insertion.records, insertion.entity, nil) }
        return questions
    }

    /// Two contexts may have given one object two partners in a one-to-one.
    func checkPartners(_ request: SaveRequest, _ answers: PostgresAnswers) throws {
        let questions = partnerQuestions(request)
        func check(_ key: UniqueKey, _ entity: EntityDescription, _ found: Int64?) throws {
            guard let found else { return }
            guard source.namesRefusedRow else { throw SaveConflict() }
            throw RefusedRow.ofPartner(key, entity, found)
        }
        for (key, entity, records) in questions.claims {
            try check(key, entity, answers.holders(of: key, records, entity).first?.record)
        }
        for (key, entity, records) in questions.ownInverses {
            try check(key, entity, answers.oneSided(key, records))
        }
    }

    /// Checks the rules of written rows. A context has already validated its objects.
    func checkRules(_ request: SaveRequest) throws {
        for update in request.updates { try checkRules(update.records, update.entity) }
        for insertion in request.insertions {
            try checkRules(insertion.records, insertion.entity)
        }
    }

    private func checkRules(_ records: [Record], _ entity: EntityDescription) throws {
        let rules = entity.rules.filter { rule in
            let declarer = model.model.lineage(of: entity.entity).first { owner in
                owner.rules.contains { $0.name == rule.name }
            }
            return declarer.flatMap { model.model.postgresCheck(of: rule, of: $0) } == nil
        }
        guard !rules.isEmpty, !records.isEmpty else { return }
        let snapshot = PostgresSnapshot(layout, connection)
        let rows = try snapshot.subjects(
            RowRequest(entity: entity, selection: .keys(records.map(\.key))))
        for rule in rules {
            let evaluator = try ExpressionEvaluator(
                condition: rule.condition, entity: entity.entity, model: entity.model)
            guard let broken = try rows.first(where: { try !evaluator.isTrue($0) }) else {
                continue
            }
            throw RefusedRow(
                entity: entity, key: broken.expressionKey,
                underlying: ValidationError(
                    code: .ruleViolated, entityName: entity.name, objectID: nil, property: nil,
                    rule: rule.name, message: rule.refusal))
        }
        if let failure = snapshot.failure { throw failure }
    }
}
