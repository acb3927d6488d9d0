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
        titledSections.map(\.title)
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
