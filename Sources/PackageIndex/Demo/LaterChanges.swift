import Cambium
import PackagesModel

/// Changes the store after the import, so that the live list has changes to follow, and reverts
/// them.
@MainActor
func showLaterChanges(
    in container: PersistentContainer, _ list: LiveList, _ terminal: Terminal
) async throws {
    terminal.event("a background context inserts a package in a section of its own")
    let ids = try await container.performBackgroundTask { context in
        let section = Section(in: context, name: "cambium-demo")
        let package = Package(
            in: context, name: "cambium-demo", version: "1.0", architecture: "all",
            source: "cambium-demo", priority: .optional)
        package.section = section
        try context.save()
        return [package.objectID, section.objectID]
    }
    await follow(container, list)

    terminal.event("a background context deletes both again")
    try await container.performBackgroundTask { context in
        for id in ids { try context.delete(context.existingObject(with: id)) }
        try context.save()
    }
    await follow(container, list)
}

/// Merges the saved changes into the view context, and lets the list report them.
@MainActor
func follow(_ container: PersistentContainer, _ list: LiveList) async {
    container.viewContext.mergePending()
    await Task.yield()  // the list's own task may be first to see the change
    list.report()
}
