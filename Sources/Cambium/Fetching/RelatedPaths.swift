import CambiumRecords

/// What a condition and an order look at: which changes, of which objects, can matter to them.
struct RelatedPaths {
    /// The names of the properties that are looked at, by the path of to-one relationships that
    /// leads to their object. The empty path is the object itself.
    private(set) var properties: [[String]: Set<String>] = [:]
    /// The entity at the end of each path.
    private(set) var destinations: [[String]: EntityDescription] = [:]
    /// The numbers of all entities on the paths, with their sub-entities, beside the object's own.
    private(set) var entities: Set<Int> = []
    /// Whether a path leads over keys that are kept on the other side, through a to-many or the far
    /// side of a one-to-one: who lost a member cannot be found in the rows as they are now.
    private(set) var leadsOverFarKeys = false

    private let model: ModelDescription

    init(
        _ condition: ModelExpression?, sort: [SortTerm], of entity: EntityDescription,
        in model: ModelDescription
    ) {
        self.model = model
        if let condition { add(condition, of: entity, [:]) }
        for term in sort { add(term.value, of: entity, [:]) }
    }

    /// Whether only the object's own row matters.
    var isEmpty: Bool { !leadsOverFarKeys && properties.keys.allSatisfy(\.isEmpty) }

    /// The paths to other objects whose properties matter, shorter ones first.
    var paths: [[String]] {
        properties.keys.filter { !$0.isEmpty }
            .sorted {
                ($0.count, $0.joined(separator: ".")) < ($1.count, $1.joined(separator: "."))
            }
    }

    // MARK: Gathering

    private mutating func add(_ names: [String], of entity: EntityDescription) {
        var owner = entity
        var path: [String] = []
        for (position, name) in names.enumerated() {
            guard let relationship = owner.relationship(named: name) else {
                // Several names are those of a part of a composite value.
                properties[path, default: []].insert(names[position...].joined(separator: "."))
                return
            }
            if relationship.slot == nil {
                leadsOverFarKeys = true
            } else {
                properties[path, default: []].insert(name)
            }
            path.append(name)
            owner = model.entities[relationship.destination]
            destinations[path] = owner
            entities.formUnion(model.families[owner.index])
        }
    }

    private mutating func add(
        _ expression: ModelExpression, of entity: EntityDescription,
        _ variables: [String: EntityDescription]
    ) {
        switch expression {
        case .literal, .parameter, .refused:
            break
        case .keyPath(.subject, let names):
            add(names, of: entity)
        case .keyPath(.variable(let variable), let names):
            addBeyond(names, of: variables[variable])
        case .list(let items), .and(let items), .or(let items), .function(_, let items):
            for item in items { add(item, of: entity, variables) }
        case .not(let item), .quantified(_, let item), .aggregate(_, let item):
            add(item, of: entity, variables)
        case .comparison(let left, _, let right, _), .arithmetic(let left, _, let right):
            add(left, of: entity, variables)
            add(right, of: entity, variables)
        case .between(let item, let lower, let upper),
            .conditional(let item, let lower, let upper):
            for item in [item, lower, upper] { add(item, of: entity, variables) }
        case .subquery(let collection, let variable, let condition):
            add(collection, of: entity, variables)
            var inner = variables
            inner[variable] = destination(of: collection, of: entity, variables)
            add(condition, of: entity, inner)
        }
    }

    /// A path that starts at a member of a collection.
    private mutating func addBeyond(_ names: [String], of entity: EntityDescription?) {
        leadsOverFarKeys = true
        var owner = entity
        for name in names {
            guard let relationship = owner?.relationship(named: name) else { return }
            owner = model.entities[relationship.destination]
            entities.formUnion(model.families[relationship.destination])
        }
    }

    private func destination(
        of collection: ModelExpression, of entity: EntityDescription,
        _ variables: [String: EntityDescription]
    ) -> EntityDescription? {
        switch collection {
        case .keyPath(let root, let names):
            let start: EntityDescription? =
                switch root {
                case .subject: entity
                case .variable(let variable): variables[variable]
                }
            // The path may end with the attribute that is aggregated; its owner is the element.
            return names.reduce(start) { owner, name in
                owner?.relationship(named: name).map { model.entities[$0.destination] } ?? owner
            }
        case .subquery(let inner, _, _):
            return destination(of: inner, of: entity, variables)
        default:
            return nil
        }
    }
}
