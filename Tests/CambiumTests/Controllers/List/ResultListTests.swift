@testable import Cambium
import CambiumSQL
import Testing
import TestDummyModel

/// All edits of small lists.
struct ResultListTests {
    /// Where an object stands: nil outside of the list, else its section and its rank in it.
    private typealias Place = (section: Int, rank: Int)?
    private typealias State = [Place]

    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let dummies: [TestDummy]

    init() throws {
        container = try PersistentContainer(model: TestDummies.model, at: .temporary)
        let context = container.newContext()
        self.context = context
        dummies = (0..<4).map { TestDummy(in: context, number: $0) }
    }

    @Test(arguments: [false, true])
    func `edits of four objects in three sections are legal differences`(
        isDescending: Bool
    ) {
        checkEdits(Self.states(objects: 4, sections: 3, ranks: 1), isDescending)
    }

    @Test func `edits of three objects with equal ranks are legal differences`() {
        checkEdits(Self.states(objects: 3, sections: 2, ranks: 2), false)
    }

    @Test func `new orders of four objects move the fewest`() {
        let states = Self.orders(objects: 4)
        var faults: [String] = []
        forEachCase(states.count * states.count) { index in
            let (first, second) = index.quotientAndRemainder(dividingBy: states.count)
            let (old, new) = (states[first], states[second])
            let told = edit(old, new, false, &faults)
            let common = (0..<4).filter { old[$0] != nil && new[$0] != nil }
                .sorted { (old[$0]?.rank ?? 0) < (old[$1]?.rank ?? 0) }
            // Those that keep their rank are not told to have changed, and never move.
            let unchanged = common.filter { old[$0]?.rank == new[$0]?.rank }
            let fewest = Self.subsets(of: common).filter { Set($0).isSuperset(of: unchanged) }
                .filter { kept in
                    zip(kept, kept.dropFirst()).allSatisfy { one, other in
                        (new[one]?.rank ?? 0) < (new[other]?.rank ?? 0)
                    }
                }.map { common.count - $0.count }.min()
            if told.changes.count(where: \.isMove) != fewest {
                faults.append("\(old) to \(new): \(told.changes), not \(fewest ?? 0) moves")
            }
        }
        #expect(faults.isEmpty)
    }

    @Test func `any two edits of three objects in two sections compose`() throws {
        try checkCompositions(Self.states(objects: 3, sections: 2, ranks: 1))
    }

    @Test func `any two new orders of three objects compose`() throws {
        try checkCompositions(Self.orders(objects: 3))
    }

    // MARK: Checking

    private func checkEdits(_ states: [State], _ isDescending: Bool) {
        var faults: [String] = []
        forEachCase(states.count * states.count) { index in
            let (old, new) = index.quotientAndRemainder(dividingBy: states.count)
            _ = edit(states[old], states[new], isDescending, &faults)
        }
        #expect(faults.isEmpty)
    }

    private func checkCompositions(_ states: [State]) throws {
        var faults: [String] = []
        try forEachCase(states.count * states.count * states.count) { index in
            let (rest, third) = index.quotientAndRemainder(dividingBy: states.count)
            let (first, second) = rest.quotientAndRemainder(dividingBy: states.count)
            try compose([states[first], states[second], states[third]], &faults)
        }
        #expect(faults.isEmpty)
    }

    /// Goes through a space in random order, as far as `CAMBIUM_GENERATOR_SECONDS` reach
    /// (a moment without); a minute is enough for all of each space, even in a debug build.
    private func forEachCase(_ count: Int, _ body: (Int) throws -> Void) rethrows {
        var rest = Array(0..<count)
        try forEachSeed { seed in
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<min(50, rest.count) {
                rest.swapAt(Int.random(in: 0..<rest.count, using: &generator), rest.count - 1)
                try body(rest.removeLast())
            }
        }
    }

    /// Makes the edit that leads from one state to another, and notes what is wrong with it.
    private func edit(
        _ old: State, _ new: State, _ isDescending: Bool, _ faults: inout [String]
    ) -> ListMirror<ManagedObject>.Told {
        var list = list(old, isDescending)
        var mirror = Self.mirror(list)
        var told = ListMirror<ManagedObject>.Told()
        do {
            told = .init(try list.apply(edit(list, from: old, to: new)))
            try mirror.apply(told)
        } catch {
            faults.append("\(old) to \(new): \(error)")
        }
        if mirror != Self.mirror(list) || mirror != Self.mirror(self.list(new, isDescending)) {
            faults.append("\(old) to \(new) shows \(mirror)")
        }
        checkChanges(told, [old, new], &faults)
        return told
    }

    /// Leads through several states, and notes what is wrong with the one difference for all.
    private func compose(_ states: [State], _ faults: inout [String]) throws {
        var list = list(states[0], false)
        var mirror = Self.mirror(list)
        let consumer = ResultConsumer()
        for (old, new) in zip(states, states.dropFirst()) {
            let difference = try list.apply(edit(list, from: old, to: new))
            if !difference.isEmpty { consumer.receive(difference, list.state) }
        }
        let told = consumer.take(list).map { ListMirror.Told($0) } ?? .init()
        do {
            try mirror.apply(told)
        } catch {
            faults.append("\(states): \(error)")
        }
        if mirror != Self.mirror(list) { faults.append("\(states) shows \(mirror)") }
        if consumer.take(list) != nil { faults.append("\(states) is told twice") }
        checkChanges(told, states, &faults)
    }

    /// What changed is told, and nothing else.
    private func checkChanges(
        _ told: ListMirror<ManagedObject>.Told, _ states: [State], _ faults: inout [String]
    ) {
        let named = told.changes.map(\.parts.object)
        for (index, dummy) in dummies.prefix(states[0].count).enumerated() {
            let places = states.map { $0[index] }
            let isUnchanged = places.allSatisfy { place in
                place?.section == places[0]?.section && place?.rank == places[0]?.rank
            }
            let isTold = named.contains { $0 === dummy }
            if isUnchanged, isTold { faults.append("\(dummy) did not change in \(states)") }
            let wasThere = places[0] != nil
            let exists = places[places.count - 1] != nil
            if wasThere, exists, !isUnchanged, !isTold {
                faults.append("\(dummy) changed in \(states)")
            }
        }
    }

    // MARK: Lists

    private func list(_ state: State, _ isDescending: Bool) -> ResultList {
        let terms = [
            SortTerm(path: ["isEven"], isDescending: isDescending),
            SortTerm(path: ["name"], isDescending: false),
        ]
        var list = ResultList(
            order: ObjectOrder(terms), sectioning: .values, chunkSize: 2)
        // Sections that are made of values are never refused.
        try? list.reset(
            to: zip(dummies, state).compactMap { dummy, place in
                place.map { ResultEntry(dummy, keys: Self.keys($0)) }
            })
        return list
    }

    private func edit(
        _ list: ResultList, from old: State, to new: State
    ) -> ResultList.Edit {
        var edit = ResultList.Edit()
        for (dummy, (before, after)) in zip(dummies, zip(old, new)) {
            switch (list.index(of: dummy), after) {
            case (nil, nil): break
            case (nil, let after?):
                edit.inserted.append(ResultEntry(dummy, keys: Self.keys(after)))
            case (let index?, nil): edit.removed.append(index)
            case (let index?, let after?):
                if before?.section != after.section || before?.rank != after.rank {
                    edit.rekeyed.append(
                        .init(index: index, keys: Self.keys(after), isChanged: true))
                }
            }
        }
        return edit
    }

    private static func keys(_ place: (section: Int, rank: Int)) -> [Value] {
        [.int(Int64(place.section)), .int(Int64(place.rank))]
    }

    private static func mirror(_ list: ResultList) -> ListMirror<ManagedObject> {
        let starts = list.state.sectionStarts()
        return ListMirror(
            list.sections.enumerated().map { index, section in
                ListMirror.Section(
                    name: section.name,
                    objects: list.rows.objects(in: starts[index]..<starts[index + 1]))
            })
    }

    // MARK: Spaces

    private static func states(objects: Int, sections: Int, ranks: Int) -> [State] {
        let places: [Place] =
            [nil] + (0..<sections).flatMap { section in (0..<ranks).map { (section, $0) } }
        return (0..<objects).reduce([[]]) { states, _ in
            states.flatMap { state in places.map { state + [$0] } }
        }
    }

    /// All orders of some of the objects.
    private static func orders(objects: Int) -> [State] {
        states(objects: objects, sections: 1, ranks: objects).filter { state in
            let ranks = state.compactMap { $0?.rank }
            return Set(ranks).count == ranks.count
        }
    }

    private static func subsets(of elements: [Int]) -> [[Int]] {
        elements.reduce([[]]) { subsets, element in subsets + subsets.map { $0 + [element] } }
    }
}

extension FetchedResultsDifference.Change {
    fileprivate var isMove: Bool {
        if case .move = self { true } else { false }
    }
}
