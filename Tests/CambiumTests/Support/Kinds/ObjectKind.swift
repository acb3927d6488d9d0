@_spi(Generated) @testable import Cambium
import CambiumSQL
import EverythingModel
import Testing

/// How a program has its objects. What they do is the same, so a test that uses ``Seen`` runs on
/// both kinds.
enum ObjectKind: String, CaseIterable, CustomTestStringConvertible {
    /// Objects of generated classes, reached by their properties.
    case generated
    /// Objects of a model without generated code, reached by the names of their properties.
    case plain

    /// The kind that a test with ``Testing/Trait/bothKinds`` is called for.
    @TaskLocal static var current = ObjectKind.generated

    private static let plainEverything = CompiledModel(Everything.model.model)

    /// The model that the tests of the runtime live on.
    var everything: CompiledModel {
        switch self {
        case .generated: Everything.model
        case .plain: Self.plainEverything
        }
    }

    /// Of that model, nodes and what they lead to. Its stores are made in a fraction of the time.
    var graph: CompiledModel {
        switch self {
        case .generated: Self.graph
        case .plain: Self.plainGraph
        }
    }

    private static let graph = CompiledModel(
        model: graphValue,
        classes: ["Node": Node.self, "Box": Box.self, "Topic": Topic.self, "Part": Part.self],
        schema: Schema(of: graphValue).statements, migrations: [])

    private static let plainGraph = CompiledModel(graphValue)

    private static let graphValue = Model(
        name: "Graph", version: "1",
        entities: Everything.model.model.entities.filter {
            ["Node", "Box", "Topic", "Part"].contains($0.name)
        })

    var testDescription: String { rawValue }
}

extension ManagedObjectContext {
    private func isPlain(_ type: ManagedObject.Type) -> Bool {
        coordinator.model[type.entityName]?.isGenerated == false
    }

    /// Inserts an object of a class's entity: one of the class, or a plain one.
    func insert<Class: EntityKeys>(
        _ type: Class.Type, _ set: (Seen<Class>) -> Void = { _ in }
    ) throws -> Seen<Class> {
        let seen = Seen<Class>(try insertObject(ofEntity: type.entityName))
        set(seen)
        return seen
    }

    /// The object of an id, as one of a class's entity.
    func see<Class: EntityKeys>(_ id: ObjectID, as type: Class.Type = Class.self) -> Seen<Class> {
        Seen(object(with: id))
    }

    /// What a request finds: objects of the class, or plain ones.
    func see<Class: EntityKeys>(_ request: FetchRequest<Class>) throws -> [Seen<Class>] {
        isPlain(Class.self)
            ? try fetch(request.plain).map(Seen.init) : try fetch(request).map(Seen.init)
    }

    /// How many objects a request finds.
    func countSeen<Class: EntityKeys>(_ request: FetchRequest<Class>) throws -> Int {
        isPlain(Class.self) ? try count(for: request.plain) : try count(for: request)
    }
}

extension FetchRequest {
    /// The same request, for objects of no class.
    fileprivate var plain: FetchRequest<ManagedObject> {
        var plain = FetchRequest<ManagedObject>(entityName: entityName)
        plain.condition = condition.map { Condition($0.expression) }
        plain.sortOrders = sortOrders.map {
            SortOrder(value: $0.value, isDescending: $0.isDescending)
        }
        (plain.limit, plain.offset) = (limit, offset)
        plain.includesSubentities = includesSubentities
        plain.includesPendingChanges = includesPendingChanges
        return plain
    }
}
