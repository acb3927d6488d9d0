import CambiumModel

/// A version whose checks have all passed, with the places of what it declares.
package struct CheckedModel: Sendable {
    /// The model.
    package let model: Model
    /// Who may use the generated code.
    package let access: AccessLevel
    /// What it was made from.
    package let parsed: ParsedModel

    /// The place where an entity, or a property of it, is declared; where it is not, that of the
    /// nearest thing that is.
    package func position(ofEntity name: String?, property: String? = nil) -> SourcePosition {
        let entity = parsed.root.children(named: "entity").first { $0["name"]?.value == name }
        let declared = entity?.children.first {
            ["attribute", "relationship"].contains($0.name) && $0["name"]?.value == property
        }
        return parsed.position(at: (declared ?? entity ?? parsed.root).offset)
    }

    /// The place to say what becomes of an entity of the version before: the entity that it lives
    /// on as, else the migration, else the model.
    package func position(ofSuccessorOf name: String) -> SourcePosition {
        let successor = model.entities.first { ($0.renamedFrom ?? $0.name) == name }
        if let successor { return position(ofEntity: successor.name) }
        let migration = parsed.root.children(named: "migration").first
        return parsed.position(at: (migration ?? parsed.root).offset)
    }
}
