/// A section of a controller's results, as it was when it was asked for.
public struct FetchedResultsSection<Entity: ManagedObject> {
    /// What the section's objects have in common, as text.
    public let name: String
    /// What stands for the section in a narrow list beside a long one; see
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
    /// How many objects there are.
    public var numberOfObjects: Int { range.count }

    /// What the section's objects have in common; nil where they have no value in common, or where
    /// the sections are made by another key.
    ///
    /// ```swift
    /// let name = controller.sections[0].value(of: Product.category.name)    // a String?
    /// ```
    ///
    /// Where names are derived from values, it is the value of one of the objects.
    public func value<SectionValue>(of key: Key<Entity, SectionValue>) -> SectionValue? {
        key.path == keyPath ? SectionValue(attributeValue: content.value) : nil
    }
}

extension FetchedResultsSection: CustomStringConvertible {
    /// The name and the number of objects: `Trees (3)`.
    public var description: String { "\(name) (\(numberOfObjects))" }
}

extension FetchedResultsController {
    /// The sections in order; one, without a name, where the results are not in sections. None
    /// before ``performFetch()``.
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

    /// The titles for a narrow list beside a long one, in order: those of the sections, each once
    /// where neighbours have the same.
    public var sectionIndexTitles: [String] {
        titledSections.map { $0.title }
    }

    /// What stands for a section in that list: what the delegate says, else the first letter of the
    /// name, as a capital; nil for a section without a name.
    public func sectionIndexTitle(forSectionName name: String) -> String? {
        if let delegate { return delegate.controller(self, sectionIndexTitleForSectionName: name) }
        return FetchedResultsController.defaultIndexTitle(forSectionName: name)
    }

    /// The first letter of a section's name, as a capital.
    public static func defaultIndexTitle(forSectionName name: String) -> String? {
        name.first?.uppercased()
    }

    /// The section that a title leads to, or nil where there is no such title.
    ///
    /// - Parameters:
    ///   - title: One of ``sectionIndexTitles``.
    ///   - index: Its place among them; it decides where sections far apart have the same title.
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

/// The place of an object in a controller's results: the section and the place in it.
///
/// (Foundation's `IndexPath` knows sections on Apple's platforms only.)
public struct ItemPath: Hashable, Comparable, Sendable {
    /// The number of the section.
    public var section: Int
    /// The number in the section.
    public var item: Int

    /// Names a place.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Whether the place comes before the other.
    public static func < (one: ItemPath, other: ItemPath) -> Bool {
        (one.section, one.item) < (other.section, other.item)
    }
}

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
            words += arguments.ordered { $0.key < $1.key }.map {
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
