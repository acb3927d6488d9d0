import CambiumModel
import CambiumSQL

// The columns of properties in a table.
extension CoreDataLayoutBuilder {
    /// A property of a table that has a column.
    struct Kept {
        enum Property {
            case attribute(Attribute)
            case key(Relationship)
        }

        let entity: Entity
        let property: Property
        let name: String
        let formerName: String?
        /// The types that the column may have; nil for any.
        let types: Set<String>?
    }

    func kept(of entity: Entity) -> [Kept] {
        let attributes = entity.attributes.filter { !$0.isTransient }.map {
            Kept(
                entity: entity, property: .attribute($0), name: $0.name,
                formerName: $0.renamedFrom, types: CoreDataName.types(of: $0))
        }
        let keys = entity.relationships.filter { relationship in
            // If an entity is not in the store, keys of its objects are not either.
            !relationship.isTransient && !relationship.isToMany
                && catalogue.entity(named: relationship.destination) != nil
        }.map {
            Kept(
                entity: entity, property: .key($0), name: $0.name, formerName: $0.renamedFrom,
                types: ["INTEGER"])
        }
        return (attributes + keys).sorted { $0.name < $1.name }
    }

    /// The column of each property.
    func assign(_ properties: [Kept], _ types: [String: String]) -> [String?] {
        var sharers: [String: Int] = [:]
        for property in properties {
            sharers[CoreDataName.column(of: property.name), default: 0] += 1
        }
        var free: [String: [String]] = [:]
        for (name, count) in sharers {
            free[name] = ([name] + (1..<max(count, 2)).map { "\(name)\($0)" }).prefix(count)
                .filter { types[$0] != nil }
        }
        return properties.map { property in
            let name = CoreDataName.column(of: property.name)
            guard var candidates = free[name], !candidates.isEmpty else { return nil }
            // If two columns have the same name, the type distinguishes them.
            let index =
                candidates.firstIndex { candidate in
                    property.types?.contains(types[candidate] ?? "") ?? true
                } ?? 0
            let column = candidates.remove(at: index)
            free[name] = candidates
            return column
        }
    }

    /// Assigns properties without a column the column of their former name, if no other property
    /// has it.
    mutating func takeFormerNames(
        of properties: [Kept], _ types: [String: String], in table: String,
        _ names: inout [String?]
    ) {
        var taken = Set(properties.map { CoreDataName.column(of: $0.name) })
        for (index, property) in properties.enumerated() where names[index] == nil {
            guard let former = property.formerName.map(CoreDataName.column), types[former] != nil,
                taken.insert(former).inserted
            else { continue }
            names[index] = former
            formerNames.append(
                "\(table) has \(property.entity.name).\(property.name) under its former name, in "
                    + former)
        }
    }

    /// Records columns that were assigned by a guess. If names differ only in case, Core Data gives
    /// them the same column name with a number. If the columns have one type too, only the order of
    /// the entities and names remains to assign them.
    mutating func noteGuesses(
        _ properties: [Kept], _ names: [String?], _ types: [String: String], in table: String
    ) {
        let found = zip(properties, names).compactMap { property, name in
            name.map { (property: property, column: $0) }
        }
        let groups = Dictionary(grouping: found) { CoreDataName.column(of: $0.property.name) }
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            guard Set(group.map(\.property.name)).count > 1,
                Set(group.map { types[$0.column] }).count < group.count
            else { continue }
            let places = group.map { member in
                "\(member.property.entity.name).\(member.property.name) in \(member.column)"
            }
            remarks.append(
                "\(table) has names that differ in case only, and their columns do not distinguish "
                    + "them. They are read as Core Data numbers them: "
                    + places.joined(separator: ", ") + ". Look at the values")
        }
    }

    mutating func check(
        _ property: Kept, _ column: String?, _ types: [String: String], in table: String
    ) {
        let name = "\(property.entity.name).\(property.name)"
        guard let column else {
            differences.append("\(table) has no column for \(name)")
            return
        }
        guard let expected = property.types, let type = types[column],
            CoreDataName.knownTypes.contains(type), !expected.contains(type)
        else { return }
        differences.append("\(table).\(column) is \(type), which \(name) is not kept in")
    }
}
