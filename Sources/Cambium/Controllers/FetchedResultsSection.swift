/// A section of a controller's results, as it was when it was returned.
public struct FetchedResultsSection<Entity: ManagedObject> {
    /// The value that the section's objects share, as text.
    public let name: String
    /// The title of the section in the index beside a long list; see
    /// ``FetchedResultsController/sectionIndexTitles``.
    public let indexTitle: String?
    let content: ResultSection
    let keyPath: [String]?
    let rows: ResultRows
    let range: Range<Int>

    /// The objects, in order.
    ///
    /// - Complexity: O(n)
    public var objects: [Entity] { rows.objects(in: range).cast(to: Entity.self) }
    /// The number of objects.
    public var numberOfObjects: Int { range.count }

    /// Returns the value that the section's objects share, or nil if there is none or the sections
    /// have another key.
    ///
    /// ```swift
    /// let name = controller.sections[0].value(of: Product.category.name)    // a String?
    /// ```
    ///
    /// If names are derived from values, it is the value of one of the objects.
    public func value<SectionValue>(of key: Key<Entity, SectionValue>) -> SectionValue? {
        key.path == keyPath ? SectionValue(attributeValue: content.value) : nil
    }
}

extension FetchedResultsSection: CustomStringConvertible {
    /// The name and the number of objects: `Trees (3)`.
    public var description: String { "\(name) (\(numberOfObjects))" }
}

extension FetchedResultsController {
    /// The sections in order. Without a section key, there is one without a name. Empty before
    /// ``performFetch()``.
    ///
    /// - Complexity: O(sections)
    public var sections: [FetchedResultsSection<Entity>] {
        let starts = list.state.sectionStarts()
        return list.sections.enumerated().map { index, section in
            let name = section.name
            return FetchedResultsSection(
                name: name, indexTitle: sectionIndexTitle(forSectionName: name), content: section,
                keyPath: sectionPath, rows: list.rows, range: starts[index]..<starts[index + 1])
        }
    }

    /// The titles for the index beside a long list, in order: the titles of the sections, without
    /// repeated neighbours.
    public var sectionIndexTitles: [String] {
        titledSections.map { $0.title }
    }

    /// Returns the title of a section in that index: the one that the delegate returns, or else the
    /// first letter of the name, as a capital. Nil for a section without a name.
    public func sectionIndexTitle(forSectionName name: String) -> String? {
        if let delegate { return delegate.controller(self, sectionIndexTitleForSectionName: name) }
        return FetchedResultsController.defaultIndexTitle(forSectionName: name)
    }

    /// Returns the first letter of a section's name, as a capital.
    public static func defaultIndexTitle(forSectionName name: String) -> String? {
        name.first?.uppercased()
    }

    /// Returns the section for an index title, or nil if there is no such title.
    ///
    /// - Parameters:
    ///   - title: One of ``sectionIndexTitles``.
    ///   - index: The title's index among them; it decides if several sections have the same title.
    public func section(forSectionIndexTitle title: String, at index: Int) -> Int? {
        let titled = titledSections
        if titled.indices.contains(index), titled[index].title == title {
            return titled[index].section
        }
        return titled.first { $0.title == title }?.section
    }

    private var titledSections: [(title: String, section: Int)] {
        var titled: [(title: String, section: Int)] = []
        for (index, section) in list.sections.enumerated() {
            guard let title = sectionIndexTitle(forSectionName: section.name),
                titled.last?.title != title
            else { continue }
            titled.append((title, index))
        }
        return titled
    }
}

/// The position of an object in a controller's results: the section and the index in the section.
///
/// (Foundation's `IndexPath` has sections on Apple's platforms only.)
public struct ItemPath: Hashable, Comparable, Sendable {
    /// The index of the section.
    public var section: Int
    /// The index in the section.
    public var item: Int

    /// Creates an index path.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Returns whether the index path comes before another one.
    public static func < (one: ItemPath, other: ItemPath) -> Bool {
        (one.section, one.item) < (other.section, other.item)
    }
}

extension FetchedResultsController {
    /// Removes the cache files of sections.
    ///
    /// This is seldom needed: a cache for another request, model or state of the store is ignored,
    /// and the next ``performFetch()`` writes it again. Call it only if names are now derived
    /// differently, for example by a new version of the program.
    ///
    /// ```swift
    /// FetchedResultsController<Product>.deleteCache(withName: "Master", in: context)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The ``cacheName`` of a controller; nil means all.
    ///   - context: A context of the stores that have the caches beside their files.
    public static func deleteCache(withName name: String?, in context: ManagedObjectContext) {
        for store in context.coordinator.persistentStores {
            guard let path = store.location.path else { continue }
            SectionCacheFile.remove(name, ofStore: path)
        }
    }

    /// Returns the cache file for the sections of the results. Returns nil if they are not cached,
    /// or if the results may differ from the stored rows.
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
    /// A text of everything that determines the rows and their order.
    fileprivate var cacheText: String {
        var words = [
            "entity \(entity.name), with sub-entities: \(includesSubentities)", "order \(sort)",
            "limit \(limit.map { "\($0)" } ?? "none"), offset \(offset)",
        ]
        if case .matching(let condition, let arguments) = selection {
            words.append("condition \(condition?.description ?? "none")")
            words += arguments.ordered { $0.key < $1.key }.map {
                "\($0.key): \($0.value.expressionText)"
            }
        }
        return words.joined(separator: "\n")
    }
}

extension ResultList {
    /// Returns the cached sections if they fit the rows.
    ///
    /// For sections by value, the check is a proof: the rows are sorted, so if the first and the
    /// last row have the same value, all rows between them have it. For derived names, the check
    /// reads the first and the last row of a section; a controller requires that all rows between
    /// them have the same name.
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
