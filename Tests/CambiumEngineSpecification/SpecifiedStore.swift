import Cambium
import CambiumEngine
import Testing

/// The store that a case works on.
package final class SpecifiedStore {
    /// What the store is open in.
    package private(set) var container: PersistentContainer
    private let model: CompiledModel
    private let description: StoreDescription
    private let canBeOpenedAgain: Bool

    init(
        _ model: CompiledModel, _ description: StoreDescription, canBeOpenedAgain: Bool
    ) throws {
        self.model = model
        self.description = description
        self.canBeOpenedAgain = canBeOpenedAgain
        container = try PersistentContainer(model, description)
    }

    /// Closes the store and opens it again; where it cannot be opened again, it stays open.
    ///
    /// - Returns: A context that has read nothing.
    package func openAgain() throws -> ManagedObjectContext {
        if canBeOpenedAgain {
            for store in container.coordinator.persistentStores {
                try container.coordinator.remove(store)
            }
            container = try PersistentContainer(model, description)
        }
        return container.newContext()
    }

    /// Calls a body with a context that has read nothing, then with one of the store opened again.
    package func read(_ body: (ManagedObjectContext) throws -> Void) throws {
        try body(container.newContext())
        try body(openAgain())
    }

    /// What keeps its rows.
    package var engine: any StoreEngine {
        get throws { try #require(container.coordinator.persistentStores.first).store }
    }
}

extension ManagedObjectContext {
    /// The object of an id, in the class that the test knows it has.
    package func get<Object: ManagedObject>(
        _ id: ObjectID, as type: Object.Type = Object.self,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Object {
        try #require(object(with: id) as? Object, sourceLocation: sourceLocation)
    }
}
