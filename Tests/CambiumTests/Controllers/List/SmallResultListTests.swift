@testable import Cambium
import Foundation
import TestDummyModel
import Testing

/// All edits of small lists: from any list of some objects in up to three sections to any other.
struct SmallResultListTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let dummies: [TestDummy]

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .memory)
        let context = container.newContext()
        self.context = context
        dummies = (0..<5).map { TestDummy(in: context, number: $0) }
    }

    /// Up to renaming of the objects the old list is one of few. With four objects these are 35 by
    /// 685 pairs, with three 20 by 106, enough where only the order or the names of the sections are
    /// others; `CAMBIUM_LIST_OBJECTS` asks for five in all of them, which are 56 by 5,056.
    @Test(arguments: ["values", "descending values", "names", "none"])
    func `every edit is a legal difference`(_ kind: String) throws {
        let count =
            ProcessInfo.processInfo.environment["CAMBIUM_LIST_OBJECTS"].flatMap { Int($0) }
            ?? (kind == "values" ? 4 : 3)
        let sections = kind == "none" ? 1 : 3
        let new = Self.arrangements(of: Array(0..<count), in: sections)
        for objects in 0...count {
            for old in Self.divisions(of: Array(0..<objects), into: sections) {
                let list = try PlacedList(
                    Self.places(old), of: dummies, Self.sectioning(kind),
                    isDescending: kind.hasPrefix("descending"), chunkSize: 2)
                for arrangement in new {
                    var list = list
                    let faults = try list.change(Self.edit(from: old, to: arrangement, count))
                    try #require(faults.isEmpty, "\(kind), \(old) to \(arrangement): \(faults)")
                }
            }
        }
    }

    private static func sectioning(_ kind: String) -> Sectioning {
        switch kind {
        case "none": .none
        case "names": .names { "name of \($0.sectionName)" }
        default: .values
        }
    }

    // MARK: Places

    /// The objects of each section, in their order.
    private typealias Arrangement = [[Int]]

    private static func places(_ arrangement: Arrangement) -> [Int: PlacedList.Place] {
        var places: [Int: PlacedList.Place] = [:]
        for (section, objects) in arrangement.enumerated() {
            for (rank, object) in objects.enumerated() {
                places[object] = .init(section: section, rank: Double(rank))
            }
        }
        return places
    }

    /// The changes that lead from one arrangement to the other. Of the objects that keep their
    /// section as many as can keep their rank too, and did not change.
    private static func edit(
        from old: Arrangement, to new: Arrangement, _ count: Int
    ) -> [Int: PlacedList.Place?] {
        let oldPlaces = places(old)
        var edit: [Int: PlacedList.Place?] = [:]
        for object in 0..<count where oldPlaces[object] != nil { edit[object] = .some(nil) }
        for (section, objects) in new.enumerated() {
            let known = objects.filter { oldPlaces[$0]?.section == section }
            let run = longestRun(known.count) { one, other in
                (oldPlaces[known[one]]?.rank ?? 0) < (oldPlaces[known[other]]?.rank ?? 0)
            }
            let kept = Set(run.map { known[$0] })
            var rank = -1.0
            for object in objects {
                if kept.contains(object), let place = oldPlaces[object] {
                    rank = place.rank
                    edit[object] = .some(place)
                } else {
                    // Between the ones that are kept, whose ranks are whole numbers.
                    rank += 1.0 / 16
                    edit[object] = .some(.init(section: section, rank: rank))
                }
            }
        }
        return edit
    }

    /// The ways to divide a row of objects into sections.
    private static func divisions(of objects: [Int], into sections: Int) -> [Arrangement] {
        guard sections > 1 else { return [[objects]] }
        return (0...objects.count).flatMap { count in
            divisions(of: Array(objects[count...]), into: sections - 1)
                .map { [Array(objects[..<count])] + $0 }
        }
    }

    /// The ways to put some of the objects into sections.
    private static func arrangements(of objects: [Int], in sections: Int) -> [Arrangement] {
        selections(of: objects).flatMap { divisions(of: $0, into: sections) }
    }

    /// Some of the objects in any order.
    private static func selections(of objects: [Int]) -> [[Int]] {
        [[]]
            + objects.flatMap { first in
                selections(of: objects.filter { $0 != first }).map { [first] + $0 }
            }
    }
}
