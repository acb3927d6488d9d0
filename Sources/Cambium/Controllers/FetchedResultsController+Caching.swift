extension FetchedResultsController {
    /// Removes the sections that controllers have kept on the disk.
    ///
    /// Seldom needed: what is kept for another request, another model or another state of the store
    /// does not count, and is written again by the next ``performFetch()``. Only names that are
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

extension ResultList {
    /// Sections as they were kept, if they fit the rows.
    ///
    /// Of values that is a proof: the rows are in order, so between a first and a last one of the
    /// same value are none of another. Names are asked for the first and the last row of a section;
    /// that those between them have the same is what a controller demands of names.
    ///
    /// - Complexity: O(sections)
    func divide(_ sorted: [ResultEntry], as kept: [SectionCache.Section]) -> [ResultSection]? {
        var sections: [ResultSection] = []
        var start = 0
        for section in kept {
            guard section.count > 0, section.count <= sorted.count - start else { return nil }
            let (first, last) = (sorted[start].keys, sorted[start + section.count - 1].keys)
            var found = sectioning.section(for: first)
            guard found.name.isSame(section.name), has(found, last),
                sections.last.map({ !has($0, first) }) ?? true
            else { return nil }
            found.count = section.count
            sections.append(found)
            start += section.count
        }
        guard start == sorted.count, (try? checkNames(of: sections)) != nil else { return nil }
        return sections
    }
}
