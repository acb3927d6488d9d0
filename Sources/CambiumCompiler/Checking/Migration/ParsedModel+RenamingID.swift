import CambiumPlan

extension ParsedModel {
    /// What Xcode knows something by in the version after, where it is called something else: the
    /// renaming identifier that it has, else its name.
    ///
    /// - Parameters:
    ///   - name: What it is called in this version.
    ///   - problem: What says whether it is an entity, or else of which it is a property.
    func renamingID(of name: String, in problem: MigrationProblem) -> String {
        let element =
            problem.property == nil
            ? root.child("entity", named: name)
            : root.child("entity", named: problem.entity)?.children.first {
                $0["name"]?.value == name
            }
        // One that is the name in the version before is read as that.
        return element?[XcodeNamespace.prefix + "elementID"]?.value
            ?? element?["renamedFrom"]?.value ?? name
    }
}
