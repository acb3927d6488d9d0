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
