import Cambium
import PackagesModel

/// A package of the list beside its object.
struct ImportedPackage {
    enum Outcome {
        case inserted, updated, unchanged
    }

    let package: Package
    let record: PackageRecord
    let outcome: Outcome

    init(_ package: Package, _ record: PackageRecord, _ outcome: Outcome) {
        self.package = package
        self.record = record
        self.outcome = outcome
    }

    /// Reverts the import's changes to the object before it is saved.
    func withdraw(from context: ManagedObjectContext) {
        if outcome == .inserted {
            context.delete(package)
        } else {
            context.refresh(package, mergeChanges: false)
        }
    }
}
