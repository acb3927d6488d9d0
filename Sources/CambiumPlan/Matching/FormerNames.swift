import CambiumModel

/// What things of a new version were called in the old one, of those that say they had another name.
///
/// A file is copied for the next version, and what it says of former names with it. There the names
/// have been used up: whatever is in both versions under one name is the same thing, unless this
/// version says otherwise of it.
package struct FormerNames {
    /// A thing and the name that it says it had.
    package typealias Name = (name: String, renamedFrom: String?)

    private var names: [String: String] = [:]

    /// Finds out what has been renamed in the step between two versions.
    ///
    /// - Parameters:
    ///   - new: The things of one kind in one place of the new version.
    ///   - old: Those of the old version.
    ///   - others: Those of the old version in other places, from which one may have moved with the
    ///     former name that it says.
    ///   - isDropped: Whether the author gives up what an old thing holds, so that another one can
    ///     take its name.
    package init(
        _ new: [Name], since old: [Name], besides others: @autoclosure () -> [Name] = [],
        isDropped: (String) -> Bool
    ) {
        guard new.contains(where: { $0.renamedFrom != nil }) else { return }
        let former = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let known = former.merging(others().map { ($0.name, $0) }) { own, _ in own }
        for case (let name, let from?) in new where former[from] != nil {
            // Said already in the version before, which was made by what it says.
            let isCarriedOn = known[name]?.renamedFrom == from
            if !isCarriedOn || isDropped(name) { names[name] = from }
        }
        let present = Set(new.map(\.name))
        let taken = Set(names.values)
        names = names.filter { name, from in
            // Both are still there, and nothing says that either was another thing.
            let isAsBefore =
                known[name] != nil && present.contains(from) && names[from] == nil
                && !taken.contains(name) && !isDropped(name)
            return !isAsBefore
        }
    }

    /// The name that a thing had; nil where it had none, or the one that it has.
    package subscript(name: String) -> String? { names[name] }

    /// The new thing that an old one says to have become.
    package func heir(of oldName: String) -> String? {
        names.first { $0.value == oldName }?.key
    }
}

extension FormerNames {
    /// What the entities of a version were called in the version before.
    ///
    /// - Parameter dropped: The entities of the old version that the author gives up.
    package init(ofEntitiesOf new: Model, since old: Model, dropped: Set<String>) {
        self.init(
            new.entities.map { ($0.name, $0.renamedFrom) },
            since: old.entities.map { ($0.name, $0.renamedFrom) },
            isDropped: { dropped.contains($0) })
    }
}

extension MigrationDeclaration {
    /// The entities of the old version that are given up with all their objects.
    package var droppedEntities: Set<String> {
        Set(drops.filter { $0.property == nil && $0.condition == nil }.map(\.entity))
    }
}
