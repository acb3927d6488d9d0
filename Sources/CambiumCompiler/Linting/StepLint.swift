import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL

/// Finds effects of a step on existing stores that its author may not intend.
///
/// The rules use the results of the comparison of the two versions and of the planner, and analyse
/// no further. A rule belongs here if authors rarely intend the effect: a rebuilt table is not a
/// finding, but an unnecessarily rebuilt one is. `cambium diff` shows the cost of a step, avoidable
/// or not.
package final class StepLint {
    let old: CheckedModel
    let new: CheckedModel
    /// The versions before the old one, oldest first.
    let earlier: [CheckedModel]
    let difference: ModelDifference
    let work: StoreWork
    let emptyFills = EmptyFills()
    package private(set) var findings: [Diagnostic] = []

    /// Examines a step that has a plan.
    ///
    /// - Parameters:
    ///   - earlier: The versions before the old one, oldest first.
    ///   - schemas: The tables of both versions, if they are laid out already.
    package init(
        from old: CheckedModel, to new: CheckedModel, after earlier: [CheckedModel] = [],
        _ difference: ModelDifference, schemas: (old: Schema, new: Schema)? = nil
    ) {
        self.old = old
        self.new = new
        self.earlier = earlier
        self.difference = difference
        work = StoreWork(
            of: difference, schemas: schemas ?? (Schema(of: old.model), Schema(of: new.model)))
        lintLosses()
        lintFills()
        lintRebuilds()
        lintIndexes()
        lintMoments()
        lintCompatibility()
    }

    var wording: Wording { Wording(new.parsed.format) }

    /// Reports something at an entity, or at a property of it.
    @inline(never)
    func report(
        _ code: DiagnosticCode, _ message: String, of entity: String, _ property: String? = nil,
        notes: [String]
    ) {
        report(code, message, at: new.position(ofEntity: entity, property: property), notes: notes)
    }

    @inline(never)
    func report(
        _ code: DiagnosticCode, _ message: String, at position: SourcePosition, notes: [String]
    ) {
        findings.append(Diagnostic(code, message, at: position, notes: notes))
    }
}

extension CheckedModel {
    /// The position of an enumeration, or of the model if the file has no enumeration of that name:
    /// in Xcode it is in an attribute's user info.
    func position(ofEnumeration name: String) -> SourcePosition {
        let element = parsed.root.child("enum", named: name)
        return parsed.position(at: (element ?? parsed.root).offset)
    }

    /// The place of a named request of an entity.
    func position(ofRequest name: String, of entity: String) -> SourcePosition {
        let request = declaration(ofEntity: entity)?.child("fetch", named: name)
        return request.map { parsed.position(at: $0.offset) } ?? position(ofEntity: entity)
    }
}

extension StepLint {
    /// Reports possibly unintended data loss: dropped elements that are replaced under nearly the
    /// same name, and positions in a list.
    func lintLosses() {
        for change in difference.changes {
            switch change {
            case .entityDropped(let name): lintDroppedEntity(name)
            case .attributeDropped(let entity, let name): lintDroppedAttribute(name, of: entity)
            case .relationshipDropped(let entity, let name, losesLinks: true):
                lintDroppedRelationship(name, of: entity)
            case .orderChanged(let entity, let name, isOrdered: false):
                lintLostOrder(of: name, in: entity)
            default: break
            }
        }
    }

    private func lintLostOrder(of name: String, in entity: String) {
        guard let owner = new.model.entity(named: entity),
            let relationship = new.model.relationship(name, of: owner),
            // A new relationship without links has no order to lose. Instead, the old one with this
            // name was dropped.
            difference.match.origin(of: name, in: owner) != nil
        else { return lintRemovedOrder(of: name, in: entity) }
        // If only one link remains, there is no order.
        guard relationship.isToMany else { return }
        report(
            .lostOrder, "The order of \(entity).\(name) is lost: it is no longer ordered",
            of: entity, name,
            notes: [
                wording.write(("ordered", "true")) + """
                    , unless its order has no \
                    meaning
                    """
            ])
    }

    /// Reports the lost order of a dropped relationship whose inverse keeps its links.
    private func lintRemovedOrder(of name: String, in entity: String) {
        let former = new.model.entity(named: entity).flatMap(difference.match.oldEntity)?.name
        let drops = new.model.migration?.drops ?? []
        // In this case it is intended.
        guard !drops.contains(where: { $0.entity == former ?? entity && $0.property == name })
        else { return }
        let drop = FixWriter(old: old, new: new).note(
            for: .drop(entity: former ?? entity, property: name),
            of: MigrationProblem(entity: entity, property: name, fact: ""))
        report(
            .lostOrder,
            """
            The order of \(entity).\(name) is lost: it was removed, and its inverse keeps the \
            links without it
            """,
            of: entity,
            notes: [drop + ", if its order has no meaning; otherwise keep it"])
    }

    // MARK: Dropped and added

    private func lintDroppedAttribute(_ name: String, of entity: String) {
        guard let owner = new.model.entity(named: entity),
            let before = difference.match.oldEntity(of: owner)?.attributes
                .first(where: { $0.name == name })
        else { return }
        let candidates = difference.changes.compactMap { change -> String? in
            guard case .attributeAdded(entity, let added, _) = change,
                new.model.attribute(added, of: owner)?.type == before.type
            else { return nil }
            return added
        }
        reportSimilar(of: name, among: candidates, in: entity, .attribute)
    }

    private func lintDroppedRelationship(_ name: String, of entity: String) {
        guard let owner = new.model.entity(named: entity),
            let before = difference.match.oldEntity(of: owner)?.relationships
                .first(where: { $0.name == name }),
            let destination = old.model.entity(named: before.destination)
                .flatMap(difference.match.newEntity)
        else { return }
        let candidates = difference.changes.compactMap { change -> String? in
            guard case .relationshipAdded(entity, let added) = change,
                new.model.relationship(added, of: owner)?.destination == destination.name
            else { return nil }
            return added
        }
        reportSimilar(of: name, among: candidates, in: entity, .relationship)
    }

    private func reportSimilar(
        of name: String, among candidates: [String], in entity: String,
        _ declaration: MigrationFix.Declaration
    ) {
        // With the same name it is intended: the old values are dropped, and a fill sets new ones.
        guard !candidates.contains(name), let similar = nearestName(to: name, among: candidates)
        else { return }
        report(
            .droppedSimilar,
            """
            \(entity).\(name) is dropped with its data, and \(entity).\(similar), which is new, \
            has nearly its name
            """,
            of: entity, similar,
            notes: [remedy(.rename(declaration, to: similar, from: name), of: entity, name)])
    }

    /// Entities are compared by their attributes, because the name may change completely.
    private func lintDroppedEntity(_ name: String) {
        func form(_ entity: Entity) -> [String: AttributeType] {
            Dictionary(firstOf: entity.attributes.map { ($0.name, $0.type) })
        }
        guard let gone = old.model.entity(named: name), gone.attributes.count > 1,
            let similar = new.model.entities.first(where: { entity in
                difference.match.oldEntity(of: entity) == nil && form(entity) == form(gone)
            })
        else { return }
        report(
            .droppedSimilar,
            """
            \(name) is dropped with its data, and \(similar.name), which is new, has the same \
            attributes
            """,
            of: similar.name,
            notes: [remedy(.rename(.entity, to: similar.name, from: name), of: name, nil)])
    }

    private func remedy(
        _ fix: MigrationFix, of entity: String, _ property: String?
    ) -> String {
        let problem = MigrationProblem(entity: entity, property: property, fact: "")
        return FixWriter(old: old, new: new).note(for: fix, of: problem)
            + " instead of the drop\(otherDrop(of: entity, property)), if it is the same thing"
    }

    /// If the destination still exists, its inverse must be dropped too.
    private func otherDrop(of entity: String, _ property: String?) -> String {
        let owner = new.model.entity(named: entity).flatMap(difference.match.oldEntity)
        guard let relationship = owner?.relationships.first(where: { $0.name == property }),
            let inverse = relationship.inverse,
            let declarer = old.model.entity(named: relationship.destination)
                .flatMap({ old.model.declarer(of: inverse, in: $0) }),
            declarer.name != owner?.name || inverse != property,
            difference.match.isDropped(declarer.name, inverse)
        else { return "" }
        return ", and of that of \(declarer.name).\(inverse)"
    }
}

extension StepLint {
    /// A default of now records the time at which an object is created. For existing objects it is
    /// wrong.
    func lintMoments() {
        let fills = new.model.migration?.fills ?? []
        for change in difference.changes {
            let (entity, name): (String, String)
            switch change {
            case .attributeAdded(let owner, let added, isFilled: false):
                (entity, name) = (owner, added)
            case .attributeBecameRequired(let owner, let changed): (entity, name) = (owner, changed)
            default: continue
            }
            guard let owner = new.model.entity(named: entity),
                new.model.attribute(name, of: owner)?.defaultValue == .now,
                !fills.contains(where: { $0.entity == entity && $0.attribute == name })
            else { continue }
            report(
                .inventedMoment,
                """
                Existing objects without a value get the moment of the migration as their \
                '\(name)'
                """,
                of: entity, name,
                notes: [
                    """
                    Fill it in \(wording.migration(to: new.model.version)) with a \
                    value that means 'unknown', or from another attribute; or make it optional \
                    without a default
                    """
                ])
        }
    }
}

extension StepLint {
    /// Checks two versions with the same hash. A program of the older version that has the store
    /// open does not notice the migration. If the names of the versions are not in order, it even
    /// opens a store of the newer version, and removes its conditions again.
    func lintCompatibility() {
        guard old.model.versionHash == new.model.versionHash else { return }
        lintRepeatedStep()
        lintUnknownCases()
    }

    /// Whether a program of the older version refuses to open a store of the newer version.
    private var isInOrder: Bool {
        VersionName(new.model.version).isLater(than: VersionName(old.model.version))
    }

    private func olderProgram(_ harm: String) -> String {
        let program = "A program of version \(old.model.version)"
        return isInOrder
            ? "\(program) that has the store open continues to use it, and \(harm)"
            : "\(program) opens stores of this version as its own, and \(harm)"
    }

    private func lintRepeatedStep() {
        if let step = new.model.migration?.steps.first {
            return report(
                .sameHash,
                olderProgram(
                    isInOrder
                        ? "does not know the step '\(step.name)'"
                        : "lets the step '\(step.name)' run again"),
                at: new.position(ofEntity: nil),
                notes: [modifierRemedy(at: new.model.entities.first?.name ?? "")])
        }
        let repeated = difference.changes.first { $0.losesData }
        let risk = difference.rowRisks.first
        // An enumeration has no hash of its own: an entity that uses it has.
        let type = repeated?.enumeration
        guard let entity = type.flatMap(user) ?? repeated?.entity ?? risk?.entity else { return }
        let property = repeated == nil ? risk?.property : repeated?.property
        let subject = property.map { "\(type ?? entity).\($0)" } ?? entity
        let harm =
            if repeated == nil {
                "writes what this version does not allow (\(subject))"
            } else if isInOrder {
                "does not know what the step does to \(subject)"
            } else {
                "lets the step run again, with what it does to \(subject)"
            }
        report(
            .sameHash, olderProgram(harm),
            at: type.map(new.position(ofEnumeration:)) ?? new.position(ofEntity: entity),
            notes: [modifierRemedy(at: entity)])
    }

    /// An entity that both versions have and that has values of an enumeration.
    private func user(of enumeration: String) -> String? {
        old.model.entities.compactMap(difference.match.newEntity).first { entity in
            entity.attributes.contains {
                $0.type == .enumeration(enumeration) && !$0.isTransient
            }
        }?.name
    }

    private func lintUnknownCases() {
        var added: [(enumeration: String, cases: [String])] = []
        for case .caseAdded(let name, let item) in difference.changes {
            if let index = added.firstIndex(where: { $0.enumeration == name }) {
                added[index].cases.append(item)
            } else {
                added.append((name, [item]))
            }
        }
        for (name, cases) in added {
            guard let user = user(of: name) else { continue }
            let list = cases.map { "'\($0)'" }.joined(separator: ", ")
            report(
                .unknownCase, olderProgram("cannot read \(list) of \(name)"),
                at: new.position(ofEnumeration: name), notes: [modifierRemedy(at: user)])
        }
    }

    private func modifierRemedy(at entity: String) -> String {
        wording.write(("hashModifier", "…")) + """
             at '\(entity)', another one than before: then the \
            older program reports that it cannot use the store
            """
    }
}
