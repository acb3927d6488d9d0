import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// The old and the new key of an object.
package struct ImportedKey: Hashable {
    /// The entity in the version that wrote the store.
    package let oldEntity: String
    /// The key in the store, `Z_PK`.
    package let oldKey: Int64
    /// The entity in the new store; nil if the migration deleted the object.
    package let newEntity: String?
    /// The key in the new store.
    package let newKey: Int64?
}

/// Follows the keys of all objects through a chain of migrations. A key stays, unless two
/// hierarchies come together in one table.
struct IdentityTrace {
    private struct Path {
        let oldEntity: String
        var entity: String?
        var shift: Int64 = 0
    }

    /// Objects of an entity that a step deleted.
    struct DeletedObjects {
        let entity: String
        let keys: [Int64]
    }

    private let connection: Connection
    private let roots: [Entity]
    private let first: Model
    private var model: Model
    private var paths: [Path]
    /// The amount that the next step adds to the keys of each entity.
    private var shifts: [String: Int64] = [:]

    init(_ roots: [Entity], _ model: Model, _ connection: Connection) throws(SQLiteError) {
        self.roots = roots
        self.connection = connection
        first = model
        self.model = model
        paths = roots.flatMap { root in
            model.family(of: root).filter { !$0.isAbstract }
                .map { Path(oldEntity: $0.name, entity: $0.name) }
        }
        try connection.execute(IdentitySQL.create)
        for root in roots { try connection.execute(IdentitySQL.note(root, in: model)) }
    }

    /// Called before a step, while the key table is that of the version before it.
    mutating func prepare(for next: Model) throws(SQLiteError) {
        let match = ModelMatch(old: model, new: next)
        shifts = [:]
        for path in paths {
            guard let name = path.entity, let entity = model.entity(named: name),
                let shift = match.keyShift(of: entity)
            else { continue }
            shifts[name] = Int64(try connection.number(IdentitySQL.value(of: shift)))
        }
    }

    /// Called after a step.
    mutating func follow(_ next: Model) throws {
        let match = ModelMatch(old: model, new: next)
        for index in paths.indices {
            guard let name = paths[index].entity else { continue }
            paths[index].shift += shifts[name] ?? 0
            paths[index].entity = model.entity(named: name).flatMap(match.newEntity)?.name
        }
        model = next
    }

    /// The objects that the last step deleted, by the entity that they had at first.
    func deletedObjects() throws(SQLiteError) -> [DeletedObjects] {
        var deleted: [DeletedObjects] = []
        for path in paths {
            let entity = path.entity.flatMap { model.entity(named: $0) }
            let statement = try connection.statement(
                IdentitySQL.markDeleted(newEntity: entity, in: model))
            defer { statement.reset() }
            try statement.bind([.text(path.oldEntity), .integer(path.shift)])
            // A million keys are not too many, a million rows of values would be.
            var keys: [Int64] = []
            while try statement.step() { keys.append(statement.integer(at: 0)) }
            if !keys.isEmpty {
                deleted.append(DeletedObjects(entity: path.oldEntity, keys: keys.sorted()))
            }
        }
        return deleted
    }

    /// The original names of entities in the version before a step.
    func oldNames(of entities: Set<String>) -> Set<String> {
        Set(paths.filter { $0.entity.map(entities.contains) ?? false }.map(\.oldEntity))
    }

    /// Reports the old and the new key of each object.
    func report(to receive: (ImportedKey) throws -> Void) throws {
        for path in paths {
            let entity = path.entity.flatMap { model.entity(named: $0) }
            let statement = try connection.statement(
                IdentitySQL.list(newEntity: entity, in: model))
            defer { statement.reset() }
            try statement.bind([.text(path.oldEntity), .integer(path.shift)])
            while try statement.step() {
                let exists = statement.integer(at: 1) != 0
                let key = statement.integer(at: 0)
                try receive(
                    ImportedKey(
                        oldEntity: path.oldEntity, oldKey: key,
                        newEntity: exists ? path.entity : nil,
                        newKey: exists ? key + path.shift : nil))
            }
        }
    }
}
