import Cambium
import ShopModel

/// The sections of a controller are returned from a background context.
func sectionNames(in background: BackgroundContext) async throws -> [String] {
    #if MISTAKE
        let sections = try await background.perform { context in  // error: Sendable
            let controller = FetchedResultsController(
                Product.fetchRequest(), in: context, sectionedBy: Product.category.name)
            try controller.performFetch()
            return controller.sections
        }
        return sections.map(\.name)
    #else
        return try await background.perform { context in
            let controller = FetchedResultsController(
                Product.fetchRequest(), in: context, sectionedBy: Product.category.name)
            try controller.performFetch()
            return controller.sections.map(\.name)
        }
    #endif
}
