import CambiumModel
import CambiumPlan
import CambiumSQL

/// A step between two versions with declarations for what the two leave open.
package struct StepResolution {
    /// The new version with the declarations in its migration.
    private(set) var target: Model
    /// The declarations.
    package private(set) var items: [HistoryItem] = []
    /// What changes, and what is still open.
    package private(set) var difference: ModelDifference
    /// The objects that no declarations name all of, as they require each other in a circle.
    package private(set) var circles: [ModelDifference.FurtherDrop] = []

    /// Finds declarations.
    ///
    /// - Parameters:
    ///   - declarations: What solves a problem; nothing where it is to stay open.
    ///   - furtherItem: What names the objects that go because they require others which go; nil
    ///     where nobody is to name them.
    init(
        from old: Model, to new: Model, declarations: (MigrationProblem) -> [HistoryItem],
        furtherItem: ((ModelDifference.FurtherDrop) -> HistoryItem)? = nil
    ) {
        target = new
        difference = ModelDifference(from: old, to: new)
        // Whoever drops an entity learns of its relationships next: each round finds less. What
        // requires objects that go is found one entity after the other.
        for _ in 0..<8 + old.entities.count {
            var found: [HistoryItem] = []
            for item in difference.problems.flatMap(declarations)
            where !(items + found).contains(where: item.isSaid) {
                found.append(item)
            }
            // What goes is said first: nothing more is asked of objects that go, and of links that go
            // none is to stay.
            let removals = found.filter(\.removesSomeObjects)
            if !removals.isEmpty {
                found = removals
            } else if found.contains(where: { $0.drop != nil }) {
                found.removeAll(where: \.isKeep)
            }
            if found.isEmpty, let furtherItem { found = difference.furtherDrops.map(furtherItem) }
            guard !found.isEmpty else { break }
            items += found
            target = new.declaring(items, since: old)
            difference = ModelDifference(from: old, to: target)
        }
        if items.contains(where: \.removesSomeObjects) { circles = difference.circularDrops }
    }

    /// Whether the declarations are enough.
    package var isSolved: Bool { difference.problems.isEmpty && circles.isEmpty }
}
