import Cambium
import PackagesModel

extension PackageKey {
    init(_ package: Package) {
        self.init(
            name: package.name, version: package.version, architecture: package.architecture)
    }
}

extension Package {
    /// Inserts a package with the required values of a record.
    convenience init(in context: ManagedObjectContext, record: PackageRecord) {
        self.init(
            in: context, name: record.key.name, version: record.key.version,
            architecture: record.key.architecture, source: record.source,
            priority: record.priority)
    }

    /// Sets the values that differ, and returns whether any did. An object without differences is
    /// not part of the save.
    func update(
        from record: PackageRecord, section: Section?, maintainer: Maintainer?
    ) -> Bool {
        var isChanged = false
        func assign<Value: Equatable>(
            _ path: ReferenceWritableKeyPath<Package, Value>, _ value: Value
        ) {
            if self[keyPath: path] != value {
                self[keyPath: path] = value
                isChanged = true
            }
        }
        assign(\.source, record.source)
        assign(\.summary, record.summary)
        assign(\.homepage, record.homepage)
        assign(\.priority, record.priority)
        assign(\.isEssential, record.isEssential)
        assign(\.installedSize, record.installedSize)
        assign(\.downloadSize, record.downloadSize)
        if self.section !== section {
            self.section = section
            isChanged = true
        }
        if self.maintainer !== maintainer {
            self.maintainer = maintainer
            isChanged = true
        }
        return isChanged
    }
}
