@testable import Cambium
import CambiumSQL
import TestDummyModel

/// A list as numbers: the keys of objects in sections. It judges differences by the rules of a
/// table view, without anything of the list that made them.
struct PlainList: Equatable {
    struct Section: Equatable {
        let name: String
        var rows: [Int64] = []
    }

    var sections: [Section] = []

    init(sections: [Section] = []) {
        self.sections = sections
    }

    /// What a list shows.
    init(_ list: ResultList) {
        let starts = list.state.sectionStarts()
        sections = list.sections.enumerated().map { index, section in
            Section(
                name: section.name,
                rows: list.rows.keys(in: starts[index]..<starts[index + 1]))
        }
    }

    /// What a list showed.
    init(_ former: FormerResults) {
        let starts = former.sections.starts
        sections = former.sections.enumerated().map { index, section in
            Section(
                name: section.name, rows: Array(former.keys[starts[index]..<starts[index + 1]]))
        }
    }

    private subscript(path: ItemPath) -> Int64? {
        guard sections.indices.contains(path.section),
            sections[path.section].rows.indices.contains(path.item)
        else { return nil }
        return sections[path.section].rows[path.item]
    }

    /// What is wrong with a difference that should lead to a new list.
    ///
    /// - Parameter changed: The objects that changed; no others may be named.
    func faults(
        of difference: FetchedResultsDifference<ManagedObject>, to new: PlainList,
        changed: Set<Int64>
    ) -> [String] {
        var faults = faultsInSteps(difference, to: new) + faultsInView(difference, to: new)
        // Only where all is in its place can be asked what moved past what.
        if faults.isEmpty { faults = faultsInMoves(difference, to: new) }
        let told = difference.changes.map(\.parts.object.key)
        if Set(told).count != told.count { faults.append("an object is named twice") }
        let both = Set(sections.flatMap(\.rows)).intersection(new.sections.flatMap(\.rows))
        if !both.intersection(changed).isSubset(of: told) { faults.append("a change is not told") }
        if !Set(told).isSubset(of: changed) { faults.append("what did not change is told") }
        return faults
    }

    /// Applied as its documentation says, the difference leads to the new list.
    private func faultsInSteps(
        _ difference: FetchedResultsDifference<ManagedObject>, to new: PlainList
    ) -> [String] {
        var faults: [String] = []
        var shown = self
        var leaving: [ItemPath] = []
        var arriving: [(path: ItemPath, key: Int64)] = []
        for change in difference.changes {
            let (object, from, to) = change.parts
            if let from, self[from] != object.key {
                faults.append("\(change) comes from elsewhere")
            }
            if let to, new[to] != object.key { faults.append("\(change) leads elsewhere") }
            if case .update = change { continue }
            if let from { leaving.append(from) }
            if let to { arriving.append((to, object.key)) }
        }
        guard faults.isEmpty else { return faults }
        for path in leaving.sorted().reversed() {
            shown.sections[path.section].rows.remove(at: path.item)
        }
        for section in difference.deletedSections.reversed() {
            guard shown.sections.indices.contains(section.index),
                shown.sections[section.index] == Section(name: section.name)
            else { return ["section \(section.index) cannot go"] }
            shown.sections.remove(at: section.index)
        }
        for section in difference.insertedSections {
            guard section.index <= shown.sections.count else {
                return ["section \(section.index) cannot come"]
            }
            shown.sections.insert(Section(name: section.name), at: section.index)
        }
        for (path, key) in arriving.sorted(by: { $0.path < $1.path }) {
            guard shown.sections.indices.contains(path.section),
                path.item <= shown.sections[path.section].rows.count
            else { return ["\(key) cannot come to \(path)"] }
            shown.sections[path.section].rows.insert(key, at: path.item)
        }
        return shown == new ? [] : ["the steps lead to \(shown), not to \(new)"]
    }

    /// Within a section an object moves only past another one.
    private func faultsInMoves(
        _ difference: FetchedResultsDifference<ManagedObject>, to new: PlainList
    ) -> [String] {
        var faults: [String] = []
        for case .move(let object, let from, let to) in difference.changes {
            let (old, now) = (sections[from.section], new.sections[to.section])
            guard old.name == now.name else { continue }
            let before = Set(old.rows[..<from.item]).intersection(now.rows)
            if before == Set(now.rows[..<to.item]).intersection(old.rows) {
                faults.append("\(object.key) moves past no other")
            }
        }
        return faults
    }

    /// A table view takes the difference and shows the new list.
    private func faultsInView(
        _ difference: FetchedResultsDifference<ManagedObject>, to new: PlainList
    ) -> [String] {
        let updates = difference.viewUpdates
        let leaving = Set(updates.deletedItems + updates.movedItems.map(\.from))
        let arriving = updates.insertedItems + updates.movedItems.map(\.to)
        if (Array(leaving) + updates.reloadedItems).contains(where: {
            updates.deletedSections.contains($0.section)
        }) {
            return ["a row leaves a section that goes"]
        }
        if arriving.contains(where: { updates.insertedSections.contains($0.section) }) {
            return ["a row comes into a section that comes"]
        }
        var shown = sections.enumerated().map { section, content in
            content.rows.enumerated()
                .filter { !leaving.contains(ItemPath(section: section, item: $0.offset)) }
                .map(\.element)
        }
        for section in updates.deletedSections.sorted().reversed() { shown.remove(at: section) }
        for section in updates.insertedSections.sorted() {
            shown.insert(new.sections[section].rows, at: section)
        }
        for path in arriving.sorted() {
            guard let key = new[path], path.item <= shown[path.section].count else {
                return ["no row can come to \(path)"]
            }
            shown[path.section].insert(key, at: path.item)
        }
        return shown == new.sections.map(\.rows) ? [] : ["a view shows \(shown)"]
    }
}

/// A list whose objects are put here and there.
struct PlacedList {
    /// Where an object stands.
    struct Place: Equatable {
        var section: Int
        var rank: Double
    }

    private let dummies: [TestDummy]
    private let dummyKeys: [Int64]
    private let isDescending: Bool
    private(set) var list: ResultList
    private(set) var places: [Int: Place]
    /// The list as it must be.
    private var plain = PlainList()
    private let slow = ResultConsumer()
    private var slowList = PlainList()
    private var slowChanged: Set<Int64> = []

    /// Makes a list.
    ///
    /// - Parameter dummies: The objects that may be in it; there is nothing else to them than
    ///   their keys.
    init(
        _ places: [Int: Place], of dummies: [TestDummy], _ sectioning: Sectioning,
        isDescending: Bool = false, chunkSize: Int
    ) throws {
        self.dummies = dummies
        dummyKeys = dummies.map(\.key)
        self.places = places
        self.isDescending = isDescending
        let terms = [
            SortTerm(path: ["isEven"], isDescending: isDescending),
            SortTerm(path: ["name"], isDescending: false),
        ]
        list = ResultList(
            order: ObjectOrder(terms), sectioning: sectioning, chunkSize: chunkSize)
        try list.reset(to: places.map { ResultEntry(dummies[$0], keys: Self.keys($1)) })
        plain = makePlain()
        slowList = plain
    }

    private static func keys(_ place: Place) -> [Value] {
        [.int(Int64(place.section)), .double(place.rank)]
    }

    private func makePlain() -> PlainList {
        let sign = isDescending ? -1 : 1
        let sorted = places.map { (sign * $1.section, $1.rank, dummyKeys[$0]) }.sorted(by: <)
        var plain = PlainList()
        if case .none = list.sectioning { plain.sections = [.init(name: "")] }
        var section: Int?
        for (signed, rank, key) in sorted {
            if signed != section {
                section = signed
                let keys = Self.keys(Place(section: sign * signed, rank: rank))
                let name = list.sectioning.section(for: keys).name
                if plain.sections.last?.name != name { plain.sections.append(.init(name: name)) }
            }
            plain.sections[plain.sections.count - 1].rows.append(key)
        }
        return plain
    }

    /// Puts objects elsewhere, or lets them go, and judges what is told.
    ///
    /// - Parameter touched: Objects that change and stay where they are.
    mutating func change(_ new: [Int: Place?], touched: Set<Int> = []) throws -> [String] {
        let old = plain
        var edit = ResultList.Edit()
        var changed: Set<Int64> = []
        for (index, place) in new where place != places[index] {
            let dummy = dummies[index]
            changed.insert(dummy.key)
            switch (list.index(of: dummy), place) {
            case (nil, nil): break
            case (nil, let place?):
                edit.inserted.append(ResultEntry(dummy, keys: Self.keys(place)))
            case (let row?, nil): edit.removed.append(row)
            case (let row?, let place?):
                edit.rekeyed.append(.init(index: row, keys: Self.keys(place), isChanged: true))
            }
            places[index] = place
        }
        for index in touched where new[index] == nil {
            guard let row = list.index(of: dummies[index]) else { continue }
            edit.touched.append(row)
            changed.insert(dummies[index].key)
        }
        plain = makePlain()
        let difference = try list.apply(edit)
        if !difference.isEmpty { slow.receive(difference, list.state) }
        slowChanged.formUnion(changed)
        return old.faults(of: difference, to: plain, changed: changed)
    }

    /// Lets the slow consumer look, and judges what it is told.
    mutating func look() -> [String] {
        defer { (slowList, slowChanged) = (plain, []) }
        guard let difference = slow.take(list) else {
            return slowList == plain ? [] : ["the slow consumer is told nothing"]
        }
        return slowList.faults(of: difference, to: plain, changed: slowChanged)
            .filter { $0 != "a change is not told" }  // it may have been taken back
    }

    /// What is not as it must be in the list itself.
    func invariantFaults() -> [String] {
        var faults: [String] = []
        let rows = list.rows
        var end = 0
        for (position, chunk) in rows.chunks.enumerated() {
            end += chunk.rows.count
            if rows.ends[position] != end { faults.append("ends are wrong") }
            if chunk.rows.isEmpty || chunk.rows.count > rows.chunkSize {
                faults.append("a chunk has \(chunk.rows.count) rows")
            }
            if chunk.objects.map(\.key) != chunk.rows.map(\.key)
                || chunk.values.count != chunk.rows.count * rows.width
            {
                faults.append("the parts of a chunk do not fit")
            }
        }
        for index in 0..<rows.count
        where rows.object(at: index).flatMap({ list.index(of: $0) }) != index {
            faults.append("row \(index) is not found")
        }
        for (index, dummy) in dummies.enumerated() where places[index] == nil {
            if list.index(of: dummy) != nil { faults.append("\(dummy) is found") }
        }
        let shown = PlainList(list)
        if shown != plain { faults.append("the list is \(shown)") }
        return faults
    }
}
