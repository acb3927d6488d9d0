import CambiumCompiler
import CambiumModel
import CambiumPlan
import CambiumSQL

/// The two versions of a mapping model, and the compiler's checks of a migration between them. They
/// apply to a draft in the same way as to the file that will contain it.
package struct MappedVersions: Sendable {
    /// The version that the mapping model starts from.
    let old: CheckedModel
    /// The version after the migration, without its `<migration>`.
    let new: CheckedModel
    private let name: String

    /// Checks two versions of a bundle without regard to their migrations.
    ///
    /// - Returns: No versions if one of them has errors, which are in the diagnostics.
    package static func check(
        _ old: ParsedModel, _ new: ParsedModel, of name: String
    ) -> (versions: MappedVersions?, diagnostics: [Diagnostic]) {
        let (first, found) = ModelChecker.check(
            old.with(migration: nil), bundleName: name, previousVersion: nil, previous: nil,
            isCurrent: false)
        let (second, foundNext) = ModelChecker.check(
            new.with(migration: nil), bundleName: name, previousVersion: old.version,
            previous: first, isCurrent: false)
        let diagnostics = found + foundNext
        guard let first, let second else { return (nil, diagnostics) }
        return (MappedVersions(old: first, new: second, name: name), diagnostics)
    }

    /// The new version with a migration of these elements, or the first thing that is wrong with
    /// them.
    func check(_ elements: [ParsedElement]) -> Result<Model, Diagnostic> {
        let list = AttributeList(["from": old.model.version], at: new.parsed.root.offset)
        let migration = ParsedElement(own: "migration", list, children: elements)
        let (checked, diagnostics) = ModelChecker.check(
            new.parsed.with(migration: migration), bundleName: name,
            previousVersion: old.model.version, previous: old, isCurrent: false)
        if let error = diagnostics.first(where: \.isError) { return .failure(error) }
        return .success((checked ?? new).model)
    }

    /// The problems that prevent a plan for the step to the new version.
    func problems(with model: Model) -> [MigrationProblem] {
        ModelDifference(from: old.model, to: model).problems
    }
}

extension ParsedModel {
    /// Returns the model with this migration instead of its own.
    func with(migration: ParsedElement?) -> ParsedModel {
        var model = self
        model.root.children.removeAll { $0.name == "migration" }
        if let migration { model.root.children.append(migration) }
        return model
    }
}
