@_spi(Generated) @testable import Cambium
import EverythingModel
import Testing

/// The class of a controller's objects.
struct ControllerClassTests {
    /// A model whose robots are of no class of their own.
    private static let plainRobots = CompiledModel(
        model: Everything.model.model,
        classes: Dictionary(
            uniqueKeysWithValues: Everything.model.modelDescription.entities
                .filter { $0.name != "Robot" }.map { ($0.name, $0.objectClass) }),
        schema: Everything.model.schema, migrations: [])

    @Test func `a sub-entity whose objects are of another class is refused where it counts`() throws
    {
        try withContainer(Self.plainRobots) { container in
            let context = container.newContext()
            let beings = Being.fetchRequest().sorted(by: Being.name)
            let controller = FetchedResultsController(beings, in: context)
            let error = #expect(throws: StoreError.self) { try controller.performFetch() }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("The objects of Robot are of the class") == true)
            controller.fetchRequest = beings.includesSubentities(false)
            try controller.performFetch()
        }
    }
}
