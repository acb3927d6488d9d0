extension FetchedResultsController {
    /// Removes the sections that controllers have kept on the disk.
    ///
    /// Seldom needed: what is kept for another request, another model or another state of the store
    /// does not count, and is written anew by the next ``performFetch()``. Only names that are
    /// derived in another way than they were (by a new version of the program, say) ask for it.
    ///
    /// ```swift
    /// FetchedResultsController<Product>.deleteCache(withName: "Master", in: context)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The ``cacheName`` of a controller; nil means all.
    ///   - context: A context of the stores beside which the caches are.
    public static func deleteCache(withName name: String?, in context: ManagedObjectContext) {
        for store in context.coordinator.persistentStores {
            guard let path = store.location.path else { continue }
            SectionCacheFile.remove(name, ofStore: path)
        }
    }

    /// Where the sections of the results may be kept; nil where they are not, or where the results
    /// may be others than those of the store.
    func sectionCacheFile(_ scope: ResultScope) -> SectionCacheFile? {
        let context = managedObjectContext
        let entity = scope.request.entity
        guard let cacheName, let sectionPath, context.reads.usesRowCache,
            !context.fetching.countsPendingChanges,
            context.merges.mergedCommit == context.coordinator.latestCommit,
            let store = context.coordinator.persistentStores.first(where: {
                $0.roots.contains(entity.rootIndex)
            }), let path = store.location.path, !store.isReadOnly
        else { return nil }
        let words = [
            "store \(store.identifier.uuidString)",
            "model \(context.coordinator.model.model.versionHash)",
            "sections \(sectionPath), names derived: \(list.sectioning.derivesNames)",
            scope.request.cacheText,
        ]
        return SectionCacheFile(
            named: cacheName, of: store.store, at: path, request: words.joined(separator: "\n"))
    }
}

extension RowRequest {
    /// All that decides which rows come, and in which order.
    fileprivate var cacheText: String {
        var words = [
            "entity \(entity.name), with sub-entities: \(includesSubentities)", "order \(sort)",
            "limit \(limit.map { "\($0)" } ?? "none"), offset \(offset)",
        ]
        if case .matching(let condition, let arguments) = selection {
            words.append("condition \(condition?.description ?? "none")")
            words += arguments.sorted { $0.key < $1.key }.map {
                "\($0.key): \($0.value.expressionText)"
            }
        }
        return words.joined(separator: "\n")
    }
}
