import Synchronization

/// The models that the program uses, by name, so that an identity that comes as text finds its
/// entity.
enum PreparedModels {
    private struct Entry: Sendable {
        weak let model: RuntimeModel?
    }

    private static let entries = Mutex<[String: Entry]>([:])

    static func note(_ model: RuntimeModel) {
        entries.withLock { $0[model.model.name] = Entry(model: model) }
    }

    static subscript(name: String) -> RuntimeModel? {
        entries.withLock { $0[name]?.model }
    }
}
