import CambiumModel
import CambiumPlan

/// Writes the fixes for problems of a step between two versions, as text that can be pasted into
/// the newer file. `…` represents a value that the author must choose.
package struct FixWriter {
    let old: CheckedModel
    let new: CheckedModel

    /// Writes for a step.
    package init(old: CheckedModel, new: CheckedModel) {
        self.old = old
        self.new = new
    }

    /// The fix, as a sentence without a full stop.
    package func note(for fix: MigrationFix, of problem: MigrationProblem) -> String {
        let wording = Wording(new.parsed.format)
        let hasMigration = !new.parsed.root.children(named: "migration").isEmpty
        let (from, to) = (old.model.version, new.model.version)
        let parts = fix.parts.map { ofPart($0, problem) }
        let migration = parts.compactMap { $0.migrationXML }.joined()
        var texts = parts.filter { $0.migrationXML == nil }.map {
            declaration(with: $0, of: problem).map { "Write \($0)" }
                ?? wording.text(
                    of: $0, from: from,
                    renamingID: { old.parsed.renamingID(of: $0, in: problem) })
        }
        if !migration.isEmpty {
            texts.append(
                isDeclared(fix)
                    ? "Write instead: \(migration)"
                    : wording.migration(
                        saying: migration, from: from, to: to, hasMigration: hasMigration))
        }
        return texts.sentence
    }

    /// Whether the migration already has an incomplete declaration of this kind.
    private func isDeclared(_ fix: MigrationFix) -> Bool {
        guard case .replace(let enumeration, let name, _, _) = fix else { return false }
        return new.model.replacement(of: name, in: enumeration) != nil
    }

    /// A part of a composite value is declared once for all attributes of that type. If only one of
    /// them had another name, the migration declares the rename.
    private func ofPart(_ fix: MigrationFix, _ problem: MigrationProblem) -> MigrationFix {
        guard case .rename(let kind, let name?, let former) = fix, kind != .entity,
            name.contains("."), let entity = entity(of: problem)
        else { return fix }
        return .renamePart(entity: entity, to: name, from: former)
    }

    /// The entity of the newer file.
    private func entity(of problem: MigrationProblem) -> String? {
        problem.side == .new
            ? problem.entity : new.successor(of: problem.entity, in: old.model)
    }

    /// The declaration in the newer or the older file, extended by a fix; everything else in it
    /// stays. Nil if it cannot be declared.
    private func declaration(with fix: MigrationFix, of problem: MigrationProblem) -> String? {
        guard new.parsed.format != .xcode else { return nil }
        switch fix {
        case .giveDefault(let name, _):
            return declared("attribute", name, problem, adding: "default", "…")
        case .makeOptional(let kind, let name, _):
            return declared(kind.rawValue, name, problem, adding: "optional", "true")
        case .rename(.entity, let name?, let former):
            guard let element = new.declaration(ofEntity: name) else { return nil }
            var list = element.list
            list.set("renamedFrom", former)
            let text = ParsedElement(own: element.name, list).compactXML
            return text.dropLast(2) + ">"
        case .rename(let kind, let name?, let former) where kind != .entity:
            return declared(kind.rawValue, name, problem, adding: "renamedFrom", former)
        case .takeBack(let kind, let name, _):
            return redeclaration(kind, name, problem)
        case .rename(let kind, nil, let former) where kind != .entity:
            return successor(kind, of: former, problem)
        default:
            return nil
        }
    }

    @inline(never)
    private func declared(
        _ kind: String, _ name: String, _ problem: MigrationProblem, adding attribute: String,
        _ value: String
    ) -> String? {
        declared(kind, name, problem) { list in
            list.set(attribute, value)
            return true
        }
    }

    /// A property without its former name. Nil if another declaration says that it was renamed.
    private func redeclaration(
        _ kind: MigrationFix.Declaration, _ name: String, _ problem: MigrationProblem
    ) -> String? {
        declared(kind.rawValue, name, problem) { list in
            let isDeclared = list.value("renamedFrom") != nil
            list.remove("renamedFrom")
            return isDeclared
        }
    }

    /// - Parameter change: Changes the declaration, and returns whether the result is useful.
    private func declared(
        _ kind: String, _ name: String, _ problem: MigrationProblem,
        _ change: (inout AttributeList) -> Bool
    ) -> String? {
        guard let entity = entity(of: problem),
            let (element, composite) = new.declaration(of: name, kind, in: entity)
        else { return nil }
        var list = element.list
        guard change(&list) else { return nil }
        let text = ParsedElement(own: element.name, list, children: element.children).compactXML
        return composite.map { "in <composite name=\"\($0)\">: \(text)" } ?? text
    }

    /// A declaration for a property of the older version under another name.
    private func successor(
        _ kind: MigrationFix.Declaration, of former: String, _ problem: MigrationProblem
    ) -> String? {
        guard let owner = oldOwner(of: problem),
            let (element, _) = old.model.lineage(of: owner).lazy.reversed().compactMap({
                old.declaration(of: former, kind.rawValue, in: $0.name)
            }).first
        else { return nil }
        var list = element.list
        if kind == .relationship {
            guard let destination = list.value("to"),
                let successor = new.successor(of: destination, in: old.model)
            else { return nil }
            list.set("to", successor)
            // If the other end should be kept, it needs its own declaration.
            list.remove("inverse")
        } else if let type = list.value("type"), old.model.declaresType(type),
            !new.model.declaresType(type)
        {
            return nil
        }
        list.set("name", "newName")
        list.set("renamedFrom", former)
        list.remove("transient")
        return ParsedElement(own: element.name, list, children: element.children).compactXML
    }

    private func oldOwner(of problem: MigrationProblem) -> Entity? {
        if problem.side == .old { return old.model.entity(named: problem.entity) }
        return old.model.entities.first {
            new.successor(of: $0.name, in: old.model) == problem.entity
        }
    }
}

extension CheckedModel {
    /// The element that declares a property of an entity, or a part of a composite value. For a
    /// part, also the name of the composite type.
    fileprivate func declaration(
        of name: String, _ kind: String, in entity: String
    ) -> (element: ParsedElement, composite: String?)? {
        var owner = declaration(ofEntity: entity)
        var composite: String?
        var found: ParsedElement?
        for word in name.split(separator: ".") {
            if let type = found?["type"]?.value {
                composite = type
                owner = parsed.root.child("composite", named: type)
            }
            found = owner?.child(kind, named: String(word))
            if found == nil { return nil }
        }
        return found.map { ($0, composite) }
    }
}

extension Model {
    fileprivate func declaresType(_ name: String) -> Bool {
        enumeration(named: name) != nil || composites.contains { $0.name == name }
    }
}

extension [String] {
    /// Sentences as parts of one.
    fileprivate var sentence: String {
        enumerated().map { index, text in
            index == 0 ? text : text.prefix(1).lowercased() + text.dropFirst()
        }.joined(separator: ", and ")
    }
}
