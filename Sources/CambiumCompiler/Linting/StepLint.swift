import CambiumModel
import CambiumPlan
import CambiumSQL

/// What a step does to the stores in use that its author may not have meant.
///
/// The rules judge what the comparison of the two versions and the planner have found; they find
/// nothing out by themselves. A rule belongs here where an author who means it anyway is rare: that
/// a table is rebuilt is no finding, that it is rebuilt for nothing is one. (`cambium diff` tells
/// what a step costs, whether that can be helped or not.)
package final class StepLint {
    let old: CheckedModel
    let new: CheckedModel
    /// The versions before the old one, oldest first.
    let earlier: [CheckedModel]
    let difference: ModelDifference
    let work: StoreWork
    let emptyFills = EmptyFills()
    package private(set) var findings: [Diagnostic] = []

    /// Looks at a step that has a plan.
    ///
    /// - Parameters:
    ///   - earlier: The versions before the old one, oldest first.
    ///   - schemas: The tables of both versions, where they are laid out already.
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
    func report(
        _ code: DiagnosticCode, _ message: String, of entity: String, _ property: String? = nil,
        notes: [String]
    ) {
        report(code, message, at: new.position(ofEntity: entity, property: property), notes: notes)
    }

    func report(
        _ code: DiagnosticCode, _ message: String, at position: SourcePosition, notes: [String]
    ) {
        findings.append(Diagnostic(code, message, at: position, notes: notes))
    }
}

extension CheckedModel {
    /// The place of an enumeration, or of the model where the file has none of that name: in Xcode
    /// an attribute's user info says it.
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
