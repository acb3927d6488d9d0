@testable import Cambium
import CambiumEngineSpecification
import CambiumSQL
import Foundation
import TestDummyModel
import Testing

/// All edits of small lists: from any list of up to five objects in up to three sections to any
/// other one. (Five take two minutes; `Scripts/test-long.sh` has them, and without it there are
/// three, or four with `CAMBIUM_FULL_SIZE` in the environment.)
///
/// An edit is the two lists and which of the objects that keep their section have not changed: such
/// objects must be in the old order, and the others get new values. Of edits that differ in nothing
/// but names one is enough:
///
/// - Objects: the old list has 0, 1, 2… in this order, and those that only the new one has are
///   numbered in its order. A list asks whether keys are equal, and for their order only where two
///   rows have the same values, which is never so here. (Their hashes have `ChunkTableTests`.)
/// - Sections: those that either list has are the first of 0, 1 and 2. A list compares the values of
///   sections and does nothing else with them.
/// - Ways to make sections: a descending list gets the answers of an ascending one whose sections
///   are the other way round, and one of names, each of which stands for one value, gets those of
///   the values. What is done for them alone shows with one object fewer.
struct SmallResultListTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case values
        case descending
        case names
        case none

        var testDescription: String { rawValue }

        var sections: Int { self == .none ? 1 : 3 }

        /// How many objects there are, of the most that any kind has.
        func objects(_ most: Int) -> Int {
            switch self {
            case .values, .none: most
            case .descending, .names: most - 1
            }
        }

        /// How many edits there are by the number of objects in the old list, reckoned without this
        /// code: of each two lists one, and all.
        func edits(_ objects: Int) -> (pairs: [Int], all: [Int])? {
            switch (objects, sections) {
            case (4, 1): ([5, 14, 35, 65, 65], [5, 24, 97, 274, 396])
            case (5, 1): ([6, 20, 64, 171, 326, 326], [6, 35, 184, 759, 2128, 3012])
            case (3, 3): ([8, 79, 374, 700], [8, 96, 552, 1268])
            case (4, 3): ([15, 203, 1366, 4892, 7795], [15, 248, 2054, 9112, 17_932])
            case (5, 3):
                (
                    [26, 435, 3740, 19_432, 60_182, 87_256],
                    [26, 535, 5714, 37_016, 142_376, 254_772]
                )
            default: nil
            }
        }
    }

    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let dummies: [TestDummy]

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        let context = container.newContext()
        self.context = context
        dummies = (0..<5).map { TestDummy(in: context, number: $0) }
    }

    /// With `CAMBIUM_LIST_OBJECTS`, so many objects and every edit of each two lists; without it
    /// the one in which as many objects as can stay unchanged. The old lists of each number of
    /// objects by themselves, the most first, so that each processor has some of them.
    @Test(arguments: Kind.allCases, (0...5).reversed())
    func `every edit is a legal difference`(_ kind: Kind, from count: Int) throws {
        let wanted = ProcessInfo.processInfo.environment["CAMBIUM_LIST_OBJECTS"]
            .flatMap { Int($0) }.map { min($0, dummies.count) }
        let objects = kind.objects(wanted ?? (TestSize.isFull ? 4 : 3))
        guard count <= objects else { return }
        let known = Array(0..<count)
        let targets = Self.lines(of: known, and: count..<objects)
            .flatMap { Self.divisions(of: $0, into: kind.sections) }
            .map { (target: $0, plain: plain($0, kind), sections: Self.used($0)) }
        var edits = 0
        for old in Self.divisions(of: known, into: kind.sections) {
            let list = try SmallList(old, of: dummies, kind, plain(old, kind))
            let sections = Self.used(old)
            for (target, plain, others) in targets where Self.areFirst(sections | others) {
                for unchanged in list.choices(target, all: wanted != nil) {
                    edits += 1
                    let faults = try list.faults(
                        to: target, plain, unchanged: unchanged, touched: edits)
                    guard faults.isEmpty else {
                        Issue.record("\(old) to \(target), \(unchanged) stay: \(faults)")
                        return
                    }
                }
            }
        }
        if let expected = kind.edits(objects) {
            #expect(edits == (wanted == nil ? expected.pairs : expected.all)[count])
        }
    }

    private func plain(_ arrangement: [[Int]], _ kind: Kind) -> PlainList {
        let sections = arrangement.enumerated().map { number, objects in
            PlainList.Section(
                name: kind == .none ? "" : kind == .names ? "name of \(number)" : "\(number)",
                rows: objects.map { dummies[$0].key })
        }
        let there = sections.filter { kind == .none || !$0.rows.isEmpty }
        return PlainList(sections: kind == .descending ? there.reversed() : there)
    }

    // MARK: Arrangements

    /// The sections that have objects, as bits.
    private static func used(_ arrangement: [[Int]]) -> Int {
        arrangement.enumerated().reduce(0) { $0 | ($1.element.isEmpty ? 0 : 1 << $1.offset) }
    }

    private static func areFirst(_ sections: Int) -> Bool {
        sections & (sections + 1) == 0
    }

    /// The ways to divide a line of objects into sections.
    private static func divisions(of objects: [Int], into sections: Int) -> [[[Int]]] {
        guard sections > 1 else { return [[objects]] }
        return (0...objects.count).flatMap { count in
            divisions(of: Array(objects[count...]), into: sections - 1)
                .map { [Array(objects[..<count])] + $0 }
        }
    }

    /// The ways to line up some old objects, in any order, and the first of the new ones, in
    /// theirs.
    private static func lines(of old: [Int], and new: Range<Int>) -> [[Int]] {
        var lines: [[Int]] = [[]]
        for first in old {
            lines += Self.lines(of: old.filter { $0 != first }, and: new).map { [first] + $0 }
        }
        if let first = new.first {
            lines += Self.lines(of: old, and: new.dropFirst()).map { [first] + $0 }
        }
        return lines
    }
}
