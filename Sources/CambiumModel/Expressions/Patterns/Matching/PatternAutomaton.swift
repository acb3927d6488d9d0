/// Matches with all ways through a program at once, in time that grows with the text only.
///
/// A state is the set of steps at which the ways have arrived. States and what follows each are
/// found when they are first needed, and kept up to a bounded number.
struct PatternAutomaton {
    private let steps: [PatternProgram.Step]
    private let hasAssertions: Bool
    /// The steps of each state.
    private var states: [[Int32]] = []
    private var numbers: [[Int32]: Int] = [:]
    /// The state behind each state and ASCII character, where nothing is said of the place;
    /// `unknown` where it has not been looked for.
    private var next: [Int32] = []
    /// The same for other places.
    private var nextElsewhere: [UInt64: Int32] = [:]
    /// The number of steps in all states.
    private var size = 0
    /// How often all states were forgotten.
    private var age = 0

    /// The last turn in which each step was come to, and in which it was added to the next state.
    private var visited: [UInt32]
    private var added: [UInt32]
    private var turn: UInt32 = 0

    private static let unknown: Int32 = -1
    private static let maximumStates = 256
    private static let maximumSize = 65_536
    private static let maximumElsewhere = 8192

    init(_ program: PatternProgram) {
        steps = program.steps
        hasAssertions = program.hasAssertions
        let count = program.isLinear ? steps.count : 0
        visited = Array(repeating: 0, count: count)
        added = visited
    }

    mutating func matches(
        _ text: String, _ program: PatternProgram, _ membership: inout ScalarMembership,
        _ budget: inout PatternBudget
    ) throws -> Bool {
        // Without assertions a place is its next scalar.
        let places = hasAssertions ? PatternText(text, for: program) : nil
        var state = number(of: [0])
        var index = 0
        for scalar in text.unicodeScalars {
            try budget.spend(1)
            let place = places?.place(at: index) ?? PatternPlace(scalar)
            index += 1
            state = try follow(state, place, &membership, &budget)
            if states[state].isEmpty { return false }
        }
        let end = places?.place(at: index) ?? PatternPlace(nil)
        return try follow(state, end, &membership, &budget) != 0
    }

    /// The state behind a scalar; at the end, whether the pattern is at its end (1) or not (0).
    private mutating func follow(
        _ state: Int, _ place: PatternPlace, _ membership: inout ScalarMembership,
        _ budget: inout PatternBudget
    ) throws -> Int {
        let isPlain = place.bits < 128
        let slot = state * 128 + Int(place.bits & 127)
        let key = UInt64(state) << 32 | UInt64(place.bits)
        if isPlain {
            if next[slot] != Self.unknown { return Int(next[slot]) }
        } else if let known = nextElsewhere[key] {
            return Int(known)
        }
        let (isAtEnd, found) = try advance(states[state], place, &membership, &budget)
        guard place.next != nil else {
            keep(isAtEnd ? 1 : 0, elsewhere: key)
            return isAtEnd ? 1 : 0
        }
        let age = age
        let result = number(of: found)
        // Where all states were forgotten the number of the former one says nothing.
        guard age == self.age else { return result }
        if isPlain {
            next[slot] = Int32(result)
        } else {
            keep(Int32(result), elsewhere: key)
        }
        return result
    }

    private mutating func keep(_ state: Int32, elsewhere key: UInt64) {
        if nextElsewhere.count >= Self.maximumElsewhere { nextElsewhere.removeAll() }
        nextElsewhere[key] = state
    }

    private mutating func number(of found: [Int32]) -> Int {
        if let known = numbers[found] { return known }
        if states.count >= Self.maximumStates || size + found.count > Self.maximumSize {
            states.removeAll()
            numbers.removeAll()
            next.removeAll()
            nextElsewhere.removeAll()
            size = 0
            age += 1
        }
        states.append(found)
        numbers[found] = states.count - 1
        next += Array(repeating: Self.unknown, count: 128)
        size += found.count
        return states.count - 1
    }

    /// Goes on from all steps of a state: whether one of the ways comes to the end of the pattern,
    /// and the steps behind the next scalar.
    private mutating func advance(
        _ state: [Int32], _ place: PatternPlace, _ membership: inout ScalarMembership,
        _ budget: inout PatternBudget
    ) throws -> (isAtEnd: Bool, next: [Int32]) {
        turn &+= 1
        var isAtEnd = false
        var found: [Int32] = []
        var open = state
        while let number = open.popLast() {
            let step = Int(number)
            guard visited[step] != turn else { continue }
            visited[step] = turn
            try budget.spend(1)
            switch steps[step] {
            case .scalar(let set):
                guard let scalar = place.next, membership.contains(scalar, in: set),
                    added[step + 1] != turn
                else { continue }
                added[step + 1] = turn
                found.append(number + 1)
            case .split(let one, let other):
                open.append(Int32(other))
                open.append(Int32(one))
            case .jump(let step): open.append(Int32(step))
            case .assert(let assertion):
                if place.holds(assertion) { open.append(number + 1) }
            case .notBefore(let set):
                let isBefore = place.next.map { membership.contains($0, in: set) } ?? false
                if !isBefore { open.append(number + 1) }
            case .end: isAtEnd = true
            case .note, .capture, .leave, .reference, .grapheme, .atomic, .lookahead:
                break  // of programs that are not linear
            }
        }
        return (isAtEnd, found)
    }
}
