import CambiumRecords
import Synchronization

/// The models that the program uses, so that an identity that comes as text finds its entity.
enum PreparedModels {
    private struct Entry: Sendable {
        weak let model: ModelDescription?
    }

    private struct Entries {
        var byName: [String: Entry] = [:]
        var byStore: [StoreIdentifier: Entry] = [:]
    }

    private static let entries = Mutex(Entries())

    static func note(_ model: ModelDescription) {
        entries.withLock { $0.byName[model.model.name] = Entry(model: model) }
    }

    /// Notes the model that a store was opened with.
    static func note(_ model: ModelDescription, of store: StoreIdentifier) {
        entries.withLock { $0.byStore[store] = Entry(model: model) }
    }

    /// The entity of a store's objects: that of the model that the store was opened with, or else
    /// the only one of that name.
    static func entity(named name: String, of store: StoreIdentifier) -> EntityDescription? {
        entries.withLock { entries in
            if let model = entries.byStore[store]?.model { return model[name] }
            let found = entries.byName.values.compactMap { $0.model?[name] }
            return found.count == 1 ? found[0] : nil
        }
    }
}
