/// The indices of a longest run of elements, in order, each of which comes before the next.
///
/// - Complexity: O(n log n)
func longestRun(_ count: Int, comesBefore: (_ earlier: Int, _ later: Int) -> Bool) -> [Int] {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: count)
    for index in 0..<count {
        let place = partitionIndex(tails.count) { !comesBefore(tails[$0], index) }
        previous[index] = place > 0 ? tails[place - 1] : nil
        if place == tails.count { tails.append(index) } else { tails[place] = index }
    }
    var run: [Int] = []
    var next = tails.last
    while let index = next {
        run.append(index)
        next = previous[index]
    }
    return run.reversed()
}

/// Which elements may stay where they are, in order: the settled ones, whose former places ascend,
/// and between two of them as many others as can.
///
/// - Parameter places: The former places.
func keptInOrder(_ places: [Int], isSettled: (Int) -> Bool) -> [Int] {
    var kept: [Int] = []
    var run: [Int] = []
    var lower = -1
    func close(at upper: Int) {
        let fitting = run.filter { lower < places[$0] && places[$0] < upper }
        kept += longestRun(fitting.count) { places[fitting[$0]] < places[fitting[$1]] }
            .map { fitting[$0] }
        run = []
        lower = upper
    }
    for index in places.indices {
        if isSettled(index) {
            close(at: places[index])
            kept.append(index)
        } else {
            run.append(index)
        }
    }
    close(at: .max)
    return kept
}

/// The first index that belongs to the second part, where the first part comes first.
func partitionIndex(from start: Int = 0, _ count: Int, isSecond: (Int) -> Bool) -> Int {
    var low = start
    var high = count
    while low < high {
        let middle = (low + high) / 2
        if isSecond(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}

/// The first index that belongs to the second part, where that is likely not far from the start.
///
/// - Parameter reach: How far it is looked for at first; each time twice as far.
func partitionIndex(
    from start: Int, reach: Int, _ count: Int, isSecond: (Int) -> Bool
) -> Int {
    var low = start
    var reach = reach
    while low + reach < count, !isSecond(low + reach - 1) {
        low += reach
        reach *= 2
    }
    return partitionIndex(from: low, min(low + reach, count), isSecond: isSecond)
}
