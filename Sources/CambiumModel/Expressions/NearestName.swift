/// The candidate that a misspelt name most probably means: the one that the fewest inserted,
/// removed, replaced or swapped letters lead to, or nil where none is near.
///
/// - Complexity: O(candidates × length²)
package func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars)
    // With another letter, a single one is another name and no misspelt one.
    let limit = wanted.count < 2 ? 0 : max(1, wanted.count / 3)
    var best: (distance: Int, name: String)?
    for candidate in candidates {
        let letters = Array(candidate.lowercased().unicodeScalars)
        guard abs(letters.count - wanted.count) <= limit else { continue }
        let distance = editDistance(wanted, letters)
        if distance <= limit, distance < best?.distance ?? .max {
            best = (distance, candidate)
        }
    }
    return best?.name
}

/// The optimal string alignment distance of two words.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
        var row = [i + 1]
        for j in right.indices {
            let isSame = left[i] == right[j]
            var cost = min(last[j] + (isSame ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                cost = min(cost, beforeLast[j - 1] + 1)
            }
            row.append(cost)
        }
        beforeLast = last
        last = row
    }
    return last[right.count]
}
