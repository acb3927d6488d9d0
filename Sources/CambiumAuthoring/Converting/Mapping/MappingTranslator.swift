import CambiumCompiler
import CambiumModel
import CambiumPlan
import CambiumSQL

/// Turns a mapping model into the draft of a migration.
///
/// A mapping model lists all properties of each entity, including inherited ones. A `<migration>`
/// names a property at the entity that declares it. Therefore the translator uses the versions, if
/// they are known, and the compiler's checks. If the compiler rejects an element, it becomes a task
/// for a step. The compiler also finds the properties that have to be dropped.
struct MappingTranslator {
    let mapping: MappingModel
    let versions: MappedVersions?
    /// The matching entities and properties of the two versions, according to the draft so far.
    private(set) var match: ModelMatch?
    var draft = MigrationDraft()
    /// The properties that the mapping keeps, so that they are not dropped.
    private(set) var moved: Set<PropertyName> = []

    /// A property and the entity that declares it.
    struct PropertyName: Hashable {
        let entity: String
        let property: String
    }

    /// The draft of a mapping model.
    static func draft(
        of mapping: MappingModel, between versions: MappedVersions?
    ) -> MigrationDraft {
        var translator = MappingTranslator(mapping: mapping, versions: versions)
        // The matching of properties depends on the matching of entities.
        for entity in mapping.entities { translator.addRename(entity) }
        for entity in mapping.entities { translator.addProperties(of: entity) }
        while translator.addMissingDrops() {}
        return translator.draft
    }

    private init(mapping: MappingModel, versions: MappedVersions?) {
        self.mapping = mapping
        self.versions = versions
        match = versions.map { ModelMatch(old: $0.old.model, new: $0.new.model) }
    }

    // MARK: Entities

    private mutating func addRename(_ entity: MappingModel.Entity) {
        guard let source = entity.source, let destination = entity.destination,
            source != destination
        else { return }
        if let match, let entity = match.new.entity(named: destination),
            match.oldEntity(of: entity)?.name == source
        {
            return
        }
        let uses = mapping.entities.filter { $0.source == source }.count
        let isFilledTwice = mapping.entities.filter { $0.destination == destination }.count > 1
        if uses > 1 || isFilledTwice {
            draft.add(
                task: "\(destination) is made from \(source) only in part",
                about: destination)
        } else {
            add("rename", [("entity", destination), ("from", source)], about: destination)
        }
    }

    private mutating func addProperties(of entity: MappingModel.Entity) {
        guard let destination = entity.destination else {
            addDrop(of: entity)
            return
        }
        if let policy = entity.policy {
            draft.add(
                task: "\(destination) is migrated by the class \(policy)", about: destination)
        }
        for name in entity.others {
            draft.add(
                task: "The mapping of \(destination) has a '\(name)' of its own",
                about: destination)
        }
        for attribute in entity.attributes { add(attribute, of: entity, destination) }
        for relationship in entity.relationships {
            if let words = relationship.path ?? relationship.expression?.text {
                draft.add(
                    task: "\(destination).\(relationship.name) is linked by: \(words)",
                    about: destination)
            } else {
                addCopy(of: relationship.name, to: relationship.name, of: entity, destination)
            }
        }
    }

    // MARK: Properties

    private mutating func add(
        _ attribute: MappingModel.Property, of entity: MappingModel.Entity, _ destination: String
    ) {
        let name = attribute.name
        switch attribute.expression {
        case nil:
            addCopy(of: name, to: name, of: entity, destination)
        case .constant(let literal)?:
            addFill(attribute, with: literal, of: entity, destination)
        case .sourcePath(let path)? where path.contains("."):
            draft.add(task: "\(destination).\(name) was \(path)", about: destination)
        case .sourcePath(let path)?:
            if match != nil {
                addCopy(of: path, to: name, of: entity, destination, written: attribute)
            } else if path != name {
                addUnknownCopy(of: path, to: attribute, of: entity, destination)
            }
        case .policy?, .other?:
            let words = attribute.expression?.text ?? ""
            draft.add(task: "\(destination).\(name) is made by: \(words)", about: destination)
        }
    }

    /// Without the versions: if the new version has a property with this name too, the name is not
    /// a former name.
    private mutating func addUnknownCopy(
        of path: String, to attribute: MappingModel.Property, of entity: MappingModel.Entity,
        _ destination: String
    ) {
        if entity.names.contains(path) {
            addFill(attribute, with: Self.former(path), of: entity, destination)
        } else {
            add(
                "rename", [("entity", destination), ("property", attribute.name), ("from", path)],
                about: destination)
        }
    }

    /// Adds the elements that turn a property of the source into one of the destination.
    ///
    /// - Parameter attribute: The attribute in the mapping; nil if Core Data copies the property
    ///   with the same name.
    private mutating func addCopy(
        of path: String, to name: String, of entity: MappingModel.Entity, _ destination: String,
        written attribute: MappingModel.Property? = nil
    ) {
        guard let match, let source = entity.source,
            let owner = match.new.declarer(of: name, in: destination),
            let origin = match.old.declarer(of: path, in: source)
        else { return }
        // The matching by name finds a property that moves up or down a hierarchy.
        let known = match.new.entity(named: destination)
            .flatMap { match.origin(of: name, in: $0) }
        if let known, known == (origin.name, path) { return }
        if let attribute, match.newProperty(of: path, in: origin.name) != nil {
            addFill(attribute, with: Self.former(path), of: entity, destination)
            return
        }
        // If the element is rejected, the property is not dropped either.
        moved.insert(PropertyName(entity: origin.name, property: path))
        guard match.new.entity(named: destination).flatMap(match.oldEntity)?.name == source else {
            draft.add(
                task: "\(origin.name).\(path) becomes \(owner.name).\(name), in objects of "
                    + "another entity",
                about: destination)
            return
        }
        add(
            "rename", [("entity", owner.name), ("property", name), ("from", path)],
            about: destination)
    }

    /// A fill is for all objects of the entity that declares the attribute.
    private mutating func addFill(
        _ attribute: MappingModel.Property, with value: String, of entity: MappingModel.Entity,
        _ destination: String
    ) {
        let name = attribute.name
        let owner = match?.new.declarer(of: name, in: destination)
        guard isForAll(attribute, below: owner) else {
            draft.add(
                task: "\(destination).\(name) gets \(value) where it was a "
                    + "\(entity.source ?? "new object"), and a fill is for every "
                    + "\(owner?.name ?? destination)",
                about: destination)
            return
        }
        // A fill alone is for the objects that have no value.
        var drops: [ParsedElement] = []
        if let owner, let match, let oldName = match.oldProperty(of: name, in: owner.name),
            let oldEntity = match.oldEntity(of: owner)
        {
            drops = [
                Self.drop(
                    oldEntity.name, oldName, because: "The mapping model gives all a new value")
            ]
        }
        add(
            "fill",
            [("entity", owner?.name ?? destination), ("attribute", name), ("with", value)],
            with: drops, about: destination)
    }

    /// Whether all mappings to an entity or one below it have the same value for an attribute.
    private func isForAll(_ attribute: MappingModel.Property, below owner: Entity?) -> Bool {
        guard let match, let owner else { return true }
        let family = Set(match.new.family(of: owner).map(\.name))
        return mapping.entities.allSatisfy { other in
            guard other.source != nil, let destination = other.destination,
                family.contains(destination)
            else { return true }
            let same = other.attributes.first { $0.name == attribute.name }
            return same?.expression == attribute.expression
        }
    }

    /// The old value of a property, even if another property has that name now.
    private static func former(_ property: String) -> String {
        "$\(FillScope.former).\(property)"
    }

    // MARK: Elements

    /// Adds an element once, and the drops that it requires. If the compiler rejects it, it becomes
    /// a task.
    private mutating func add(
        _ name: String, _ attributes: [(String, String)], with drops: [ParsedElement] = [],
        about entity: String
    ) {
        let element = Self.element(name, attributes)
        let text = element.compactXML
        guard !draft.elements.contains(where: { $0.compactXML == text }) else {
            return
        }
        switch accept(drops + [element]) {
        case .success:
            draft.add(element, about: entity)
            for drop in drops { draft.add(drop: drop) }
        case .failure(let refusal):
            draft.add(task: "\(text) is refused: \(refusal.message)", about: entity)
        }
    }

    /// Adds elements to the new version, if it is known.
    mutating func accept(_ elements: [ParsedElement]) -> Result<Void, Diagnostic> {
        guard let versions else { return .success(()) }
        return versions.check(draft.elements + elements).map {
            match = ModelMatch(old: versions.old.model, new: $0)
        }
    }

    static func element(_ name: String, _ attributes: [(String, String)]) -> ParsedElement {
        var list = AttributeList(at: 0)
        for (name, value) in attributes { list.set(name, value) }
        return ParsedElement(own: name, list)
    }
}

extension Model {
    /// The entity that declares a property of an entity with that name.
    fileprivate func declarer(of property: String, in entity: String) -> Entity? {
        self.entity(named: entity).flatMap { declarer(of: property, in: $0) }
    }
}

extension ModelMatch {
    /// The name that a property of the new version had in the entity that its entity was.
    fileprivate func oldProperty(of name: String, in entity: String) -> String? {
        oldAttribute(of: name, in: entity)?.name ?? oldRelationship(of: name, in: entity)?.name
    }

    /// The name that a property of the old version has now in the entity that its entity is.
    fileprivate func newProperty(of name: String, in entity: String) -> String? {
        newAttribute(of: name, in: entity)?.name ?? newRelationship(of: name, in: entity)?.name
    }
}
