import Cambium
import PackagesModel

/// Saves the records to a store in memory, and returns the violations of the model.
func trial(of records: [PackageRecord]) throws -> [PackageKey: String] {
    if records.isEmpty { return [:] }
    let container = try PersistentContainer(model: Packages.model, at: .memory)
    let context = container.newContext()
    let packages = records.map { record in
        let package = Package(in: context, record: record)
        _ = package.update(from: record, section: nil, maintainer: nil)
        return package
    }
    do {
        try context.save()
        return [:]
    } catch {
        let violations = Violations(error)
        if violations.isEmpty { throw error }
        var reasons: [PackageKey: String] = [:]
        for (record, package) in zip(records, packages) {
            reasons[record.key] = violations[package.objectID]
        }
        return reasons
    }
}
