import CambiumModel

/// Chooses the numbers that keep a list in order, so that as few as possible change.
package enum ListPlaces {
    /// The distance between the positions of appended members. It leaves room for twenty
    /// insertions, each between the last one and its neighbour. Four bytes are enough for lists of
    /// up to two thousand members.
    package static let gap = Model.positionGap

    /// Returns the changes that make the places increase along the list.
    ///
    /// - Parameters:
    ///   - list: The members in their new order.
    ///   - places: The places that they have.
    package static func changes(
        for list: [Int64], from places: [Int64: Int64]
    ) -> [(member: Int64, place: Int64)] {
        insertions(into: list, from: places) ?? renumbering(of: list, from: places)
    }

    /// Returns the places of members at the end; nil if the numbers overflow.
    package static func appended(_ members: [Int64], after last: Int64?) -> [(
        member: Int64, place: Int64
    )]? {
        var place = last ?? 0
        var result: [(member: Int64, place: Int64)] = []
        result.reserveCapacity(members.count)
        for member in members {
            let (next, overflow) = place.addingReportingOverflow(gap)
            if overflow { return nil }
            place = next
            result.append((member, place))
        }
        return result
    }

    /// Returns new positions for the members that are in the wrong order, between the members in
    /// the right order. The result is nil if there is no room.
    private static func insertions(
        into list: [Int64], from places: [Int64: Int64]
    ) -> [(member: Int64, place: Int64)]? {
        let kept = longestRise(in: list, places)
        var changes: [(member: Int64, place: Int64)] = []
        var start = 0
        var low: Int64?
        for end in kept + [list.count] {
            let high = end < list.count ? places[list[end]] : nil
            let run = list[start..<end]
            guard let chosen = spread(run.count, between: low, and: high) else { return nil }
            changes += zip(run, chosen).map { ($0, $1) }
            low = high
            start = end + 1
        }
        return changes
    }

    private static func renumbering(
        of list: [Int64], from places: [Int64: Int64]
    ) -> [(member: Int64, place: Int64)] {
        list.enumerated().map { ($1, Int64($0 + 1) * gap) }.filter { places[$0] != $1 }
    }

    private static func spread(_ count: Int, between low: Int64?, and high: Int64?) -> [Int64]? {
        if count == 0 { return [] }
        let count = Int64(count)
        let first: Int64
        let step: Int64
        switch (low, high) {
        case (let low?, let high?):
            let (room, overflow) = high.subtractingReportingOverflow(low)
            step = overflow ? gap : room / (count + 1)
            if step == 0 { return nil }
            first = low + step
        case (let low, let high):
            step = gap
            let (width, isTooWide) = count.multipliedReportingOverflow(by: gap)
            guard !isTooWide else { return nil }
            let (start, overflow) =
                high.map { $0.subtractingReportingOverflow(width) }
                ?? (low ?? 0).addingReportingOverflow(gap)
            guard !overflow, !start.addingReportingOverflow(width).overflow else { return nil }
            first = start
        }
        return (0..<count).map { first + $0 * step }
    }

    /// Returns the indexes of a longest part of the list with places that increase already.
    private static func longestRise(in list: [Int64], _ places: [Int64: Int64]) -> [Int] {
        // For each length, the index at the end of the lowest increasing part of that length
        // (patience sorting).
        var ends: [Int] = []
        var endPlaces: [Int64] = []
        var previous = [Int](repeating: -1, count: list.count)
        for (index, member) in list.enumerated() {
            guard let place = places[member] else { continue }
            var low = 0
            var high = endPlaces.count
            while low < high {
                let middle = (low + high) / 2
                if endPlaces[middle] < place { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count {
                ends.append(index)
                endPlaces.append(place)
            } else {
                ends[low] = index
                endPlaces[low] = place
            }
        }
        var rise: [Int] = []
        var index = ends.last ?? -1
        while index >= 0 {
            rise.append(index)
            index = previous[index]
        }
        return rise.reversed()
    }
}
