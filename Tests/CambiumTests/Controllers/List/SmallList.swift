@testable import Cambium
import CambiumSQL
import TestDummyModel

/// A list of the objects 0, 1, 2… in some sections, from which others are made.
struct SmallList {
    private let dummies: [TestDummy]
    /// How each object looks, which never changes.
    private let looks: [SeenState]
    private let list: ResultList
    private let plain: PlainList
    /// The section of each object.
    private var sections: [Int] = []
    /// The index of its row.
    private var rows: [Int] = []

    init(
        _ arrangement: [[Int]], of dummies: [TestDummy], _ kind: SmallResultListTests.Kind,
        _ plain: PlainList
    ) throws {
        self.dummies = dummies
        looks = dummies.map { SeenState(of: $0) }
        self.plain = plain
        for (section, objects) in arrangement.enumerated() {
            sections += objects.map { _ in section }
        }
        let terms = [
            SortTerm(path: ["isEven"], isDescending: kind == .descending),
            SortTerm(path: ["name"], isDescending: false),
        ]
        let sectioning: Sectioning =
            switch kind {
            case .none: .none
            case .names: .names { "name of \($0.plainText)" }
            case .values, .descending: .values
            }
        var list = ResultList(
            order: ObjectOrder(terms), sectioning: sectioning, chunkSize: 2)
        try list.reset(
            to: sections.enumerated().map { object, section in
                ResultEntry(
                    dummies[object], keys: Self.keys(section, Self.rank(of: object)))
            })
        self.list = list
        rows = sections.indices.map { list.index(of: dummies[$0]) ?? 0 }
    }

    /// The rank that an object has in the old list: between two of them is room for others.
    private static func rank(of object: Int) -> Int { (object + 1) * 16 }

    private static func keys(_ section: Int, _ rank: Int) -> [Value] {
        [.int(Int64(section)), .int(Int64(rank))]
    }

    // MARK: What may stay unchanged

    /// Which of the objects that keep their section may stay unchanged, as they are in the old
    /// order: the most that can, or all choices.
    func choices(_ target: [[Int]], all: Bool) -> [Set<Int>] {
        var choices: [Set<Int>] = [[]]
        for (section, objects) in target.enumerated() {
            let known = objects.filter { $0 < sections.count && sections[$0] == section }
            if known.isEmpty { continue }
            var parts = Self.ascendingParts(of: known[...], after: -1)
            if !all, let most = parts.max(by: { $0.count < $1.count }) { parts = [most] }
            choices = choices.flatMap { choice in parts.map { choice.union($0) } }
        }
        return choices
    }

    private static func ascendingParts(of objects: ArraySlice<Int>, after last: Int) -> [[Int]] {
        guard let first = objects.first else { return [[]] }
        let others = ascendingParts(of: objects.dropFirst(), after: last)
        guard first > last else { return others }
        return others
            + ascendingParts(of: objects.dropFirst(), after: first).map { [first] + $0 }
    }

    // MARK: Edits

    /// What is wrong where the list becomes another one.
    ///
    /// - Parameters:
    ///   - unchanged: The objects that keep their values.
    ///   - touched: Which of these are told to have changed all the same, as bits.
    func faults(
        to target: [[Int]], _ new: PlainList, unchanged: Set<Int>, touched: Int
    ) throws -> [String] {
        var edit = ResultList.Edit()
        var changed: Set<Int64> = []
        var isGone = sections.map { _ in true }
        for (section, objects) in target.enumerated() {
            var rank = 0
            for object in objects {
                let isKnown = object < sections.count
                if isKnown { isGone[object] = false }
                if unchanged.contains(object) {
                    rank = Self.rank(of: object)
                    guard touched >> object & 1 == 1 else { continue }
                    edit.touched.append(rows[object])
                } else {
                    rank += 1
                    let keys = Self.keys(section, rank)
                    if isKnown {
                        edit.rekeyed.append(
                            .init(index: rows[object], keys: keys, isChanged: true))
                    } else {
                        edit.inserted.append(
                            ResultEntry(dummies[object], keys: keys, seen: looks[object]))
                    }
                }
                changed.insert(dummies[object].key)
            }
        }
        for (object, isGone) in isGone.enumerated() where isGone {
            edit.removed.append(rows[object])
            changed.insert(dummies[object].key)
        }
        var list = list
        let difference = try list.apply(edit)
        var faults = plain.faults(of: difference, to: new, changed: changed)
        let shown = PlainList(list)
        if shown != new { faults.append("the list is \(shown)") }
        var former = FormerResults(list.state)
        former.takeBack(difference)
        if PlainList(former) != plain { faults.append("taken back it is \(PlainList(former))") }
        return faults
    }
}
