import Cambium
import FirstPackagesModel  // and not `PackagesModel`: `Package` is the first release's here

/// Creates a store as the first release of the program did, with version 1 of the model, and
/// inserts a few packages of the list.
///
/// - Returns: The labels of the packages.
func makeFirstRelease(at path: String, with records: [PackageRecord]) async throws -> [String] {
    let container = try PersistentContainer(model: Packages.model, at: .file(path))
    return try await container.performBackgroundTask { context in
        let packages = records.map { record in
            let package = Package(
                in: context, name: record.key.name, version: record.key.version,
                architecture: record.key.architecture)
            package.sectionName = record.section
            package.title = record.summary
            package.size = record.installedSize
            return package
        }
        try context.save()
        return packages.map(\.listedName)
    }
}
