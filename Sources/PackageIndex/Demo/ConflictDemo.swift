import Cambium
import PackagesModel

/// Two contexts change the same package on purpose.
///
/// Only properties that no import sets are changed, so the next import finds every package
/// unchanged. Both contexts are created manually: they do not merge each other's saves, and this
/// causes the conflict.
@MainActor
struct ConflictDemo {
    let container: PersistentContainer
    let terminal: Terminal

    func run() throws {
        let first = container.newContext()
        let second = container.newContext()
        let request = Package.fetchRequest().sorted(by: Package.name).limit(1)
        guard let mine = try first.fetch(request).first,
            let theirs = try second.fetch(request).first
        else {
            terminal.event("conflict: there is no package to change")
            return
        }
        mine.note = "from the first context"
        mine.stars += 1
        theirs.note = "from the second context"
        theirs.isPinned.toggle()
        try second.save()
        terminal.event("conflict: two contexts change \(mine.label); the second saves first")

        first.mergePolicy = .error
        do {
            try first.save()
            terminal.event("conflict: none was found")
        } catch {
            terminal.event("conflict: policy 'error' refuses the first: \(error)")
        }

        first.mergePolicy = .storeTrump
        try first.save()
        terminal.event(
            "conflict: policy 'storeTrump' merges: note '\(mine.note ?? "")' (changed by both: the"
                + " store's), stars \(mine.stars) (ours), pinned \(mine.isPinned) (theirs)")
    }
}
