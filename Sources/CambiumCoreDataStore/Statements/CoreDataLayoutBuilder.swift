import CambiumModel
import CambiumSQL

/// Maps a version of a model to the tables of a store that Core Data wrote.
struct CoreDataLayoutBuilder {
    let model: Model
    let catalogue: CoreDataCatalogue
    var differences: [String] = []
    var formerNames: [String]
    var remarks: [String] = []
    var claimed: [String: Set<String>] = [:]
    var claimedTables: Set<String> = []

    /// The columns that all tables of objects have.
    private static let systemColumns: Set = ["Z_PK", "Z_ENT", "Z_OPT"]

    init(_ model: Model, _ catalogue: CoreDataCatalogue) {
        self.model = model
        (self.catalogue, formerNames) = catalogue.renamed(as: model)
    }

    /// The table of a root entity. If there is only one under the entity's former name, it is used.
    func table(of root: Entity) -> String {
        let table = CoreDataName.table(of: root.name)
        guard let former = root.renamedFrom.map(CoreDataName.table), catalogue.tables[table] == nil,
            catalogue.tables[former] != nil, model.entity(named: root.renamedFrom ?? "") == nil
        else { return table }
        return former
    }

    mutating func layout() -> CoreDataLayout {
        compareEntities()
        let present = model.roots.filter { catalogue.entity(named: $0.name) != nil }
        let objects = present.compactMap { source(of: $0) }
        let links = model.entities.flatMap { entity in
            catalogue.entity(named: entity.name) == nil
                ? [] : entity.relationships.compactMap { link($0, of: entity) }
        }
        let unusedColumns = (objects.map(\.table) + claimedTables.sorted()).flatMap { table in
            unclaimed(in: table).map { (table: table, column: $0) }
        }
        for (table, column) in unusedColumns {
            differences.append("\(table) has a column \(column), which nothing is kept in")
        }
        let tables = claimedTables.union(objects.map(\.table))
        let unusedTables = catalogue.tables.keys.filter { !tables.contains($0) }.sorted()
        for table in unusedTables
        where CoreDataName.Numbered(joined: table) != nil && !catalogue.isSystemTable(table) {
            differences.append("the store has a table of links \(table), which nothing is kept in")
        }
        return CoreDataLayout(
            model: model, objects: objects, links: links,
            differences: differences.sorted(), formerNames: formerNames.sorted(),
            remarks: remarks.sorted(),
            unusedColumns: unusedColumns, unusedTables: unusedTables)
    }

    private func unclaimed(in table: String) -> [String] {
        let known = claimed[table] ?? []
        return (catalogue.tables[table] ?? []).map(\.name).filter { name in
            !known.contains(name) && !Self.systemColumns.contains(name)
        }
    }

    // MARK: Entities

    private mutating func compareEntities() {
        let mine = Set(model.entities.map(\.name))
        let theirs = Set(catalogue.entities.map(\.name))
        for name in theirs.subtracting(mine) {
            differences.append("the store has an entity \(name), which the version does not have")
        }
        let isConfiguration = model.configurations.contains { configuration in
            var names = Set(configuration.entities)
            for name in configuration.entities {
                guard let entity = model.entity(named: name) else { continue }
                names.formUnion(model.lineage(of: entity).map(\.name))
            }
            return names == theirs
        }
        for name in mine.subtracting(theirs) where !isConfiguration {
            differences.append("the store has no entity \(name)")
        }
        for entity in catalogue.entities {
            guard let known = model.entity(named: entity.name) else { continue }
            let parent = catalogue.parent(of: entity)
            guard parent != known.parent else { continue }
            differences.append(
                "\(entity.name) inherits from \(parent ?? "nothing") in the store, and from "
                    + "\(known.parent ?? "nothing") in the version")
        }
    }

    // MARK: Tables of objects

    private mutating func source(of root: Entity) -> CoreDataLayout.ObjectSource? {
        let table = table(of: root)
        guard let columns = catalogue.tables[table] else {
            differences.append("the store has no table \(table) for \(root.name)")
            return nil
        }
        for name in Self.systemColumns.sorted() where !catalogue.has(name, in: table) {
            differences.append("\(table) has no column \(name)")
            return nil
        }
        // If names repeat, Core Data adds numbers in the order of the entities' numbers.
        let family = model.family(of: root).sorted { number(of: $0) < number(of: $1) }
        let properties = family.flatMap(kept)
        let types = Dictionary(
            columns.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        var names = assign(properties, types)
        takeFormerNames(of: properties, types, in: table, &names)
        noteGuesses(properties, names, types, in: table)
        var attributes: [CoreDataLayout.AttributeSource] = []
        var keys: [CoreDataLayout.KeySource] = []
        for (property, column) in zip(properties, names) {
            check(property, column, types, in: table)
            let entity = property.entity
            switch property.property {
            case .attribute(let attribute):
                attributes.append(.init(entity: entity, attribute: attribute, column: column))
            case .key(let relationship):
                keys.append(key(relationship, of: entity, column, columns, in: table))
            }
        }
        claimed[table, default: []].formUnion(names.compactMap(\.self))
        let entities = family.filter { !$0.isAbstract }.compactMap { entity in
            catalogue.entity(named: entity.name).map { (entity: entity, number: $0.number) }
        }
        return CoreDataLayout.ObjectSource(
            root: root, table: table, entities: entities,
            otherNumbers: family.count == 1 && entities.count == 1
                ? catalogue.entities.map(\.number).filter { $0 != entities[0].number } : nil,
            lastKey: catalogue.entity(named: root.name)?.lastKey ?? 0, attributes: attributes,
            keys: keys)
    }

    func number(of entity: Entity) -> Int64 {
        catalogue.entity(named: entity.name)?.number ?? .max
    }

    private mutating func key(
        _ relationship: Relationship, of entity: Entity, _ column: String?,
        _ columns: [CoreDataCatalogue.Column], in table: String
    ) -> CoreDataLayout.KeySource {
        guard let column else {
            return .init(
                entity: entity, relationship: relationship, column: nil, entityColumn: nil,
                positionColumn: nil)
        }
        let positions = CoreDataName.positions(of: column)
        if model.inversePositionColumn(of: relationship, of: entity) != nil,
            let list = model.inverse(of: relationship)
        {
            requirePositions(positions, of: list.relationship, list.entity, in: table)
            claimed[table, default: []].insert(positions)
        }
        let entityColumn = columns.first { CoreDataName.isEntity($0.name, ofKey: column) }?.name
        if let entityColumn { claimed[table, default: []].insert(entityColumn) }
        return .init(
            entity: entity, relationship: relationship, column: column, entityColumn: entityColumn,
            positionColumn: columns.contains { $0.name == positions } ? positions : nil)
    }
}

extension CoreDataLayout {
    /// Maps a version of a model to the tables of a store.
    init(of model: Model, in catalogue: CoreDataCatalogue) {
        var builder = CoreDataLayoutBuilder(model, catalogue)
        self = builder.layout()
    }
}
