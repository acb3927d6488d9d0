/// Matches all paths through a program at once, in time that is linear in the text.
///
/// A state is the set of steps that the paths have reached. States and their successors are
/// computed on first use and cached up to a bounded number.
struct PatternAutomaton {
    private let steps: [PatternProgram.Step]
    private let hasAssertions: Bool
    /// The steps of each state.
    private var states: [[Int32]] = []
    private var numbers: [[Int32]: Int] = [:]
    /// The next state for each state and ASCII character, at a position without further properties;
    /// `unknown` if it was not computed yet.
    private var next: [Int32] = []
    /// The next states for other positions.
    private var nextElsewhere: [UInt64: Int32] = [:]
    /// The number of steps in all states.
    private var size = 0
    /// The number of times that all states were discarded.
    private var age = 0

    /// For each step of the program: the last turn in which a path reached the step, and the last
    /// turn in which the step was added to the next state. A turn is one call of
    /// ``advance(_:_:_:_:)``.
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
        // If all states were forgotten, the number of the former state is invalid.
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

    /// Advances from all steps of a state. Returns whether a path reaches the end of the pattern,
    /// and the steps after the next scalar.
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

/// Matches by trying one way through a program after the other, as long as the budget lasts: for
/// patterns with back-references, look-around and atomic groups.
struct PatternSearch {
    /// Actions to take when a path fails, the last first.
    private enum Return {
        /// Go on at a step and a place.
        case goOn(step: Int, place: Int)
        /// Put a register's former value back.
        case restore(register: Int, value: Int)
    }

    private let program: PatternProgram
    private let text: PatternText
    private var registers: [Int]
    private var returns: [Return] = []

    private static let unset = -1
    /// Alternatives and register values to restore take memory. There is at most one of these for
    /// this number of steps.
    private static let stepsPerReturn = 8

    static func matches(
        _ text: String, _ expression: RegularExpression,
        _ membership: inout ScalarMembership, _ budget: inout PatternBudget
    ) throws -> Bool {
        var search = PatternSearch(text, expression)
        return try search.run(0, at: 0, isWhole: true, &membership, &budget) != nil
    }

    private init(_ text: String, _ expression: RegularExpression) {
        program = expression.program
        self.text = PatternText(text, for: program)
        registers = Array(repeating: Self.unset, count: program.registerCount)
    }

    /// Returns the end position of the first path that reaches the end of the pattern; nil if none
    /// does.
    ///
    /// - Parameter isWhole: Whether the path must also reach the end of the text.
    private mutating func run(
        _ start: Int, at begin: Int, isWhole: Bool, _ membership: inout ScalarMembership,
        _ budget: inout PatternBudget
    ) throws -> Int? {
        let base = returns.count
        let count = text.scalars.count
        var (step, place) = (start, begin)
        while true {
            try budget.spend(1)
            guard returns.count <= budget.limit / Self.stepsPerReturn else {
                throw budget.exceeded
            }
            var hasFailed = false
            switch program.steps[step] {
            case .scalar(let set):
                hasFailed =
                    place == count || !membership.contains(text.scalars[place], in: set)
                (step, place) = (step + 1, place + 1)
            case .split(let first, let second):
                returns.append(.goOn(step: second, place: place))
                step = first
            case .jump(let next): step = next
            case .assert(let assertion):
                hasFailed = !text.place(at: place).holds(assertion)
                step += 1
            case .notBefore(let set):
                hasFailed = place < count && membership.contains(text.scalars[place], in: set)
                step += 1
            case .end:
                if !isWhole || place == count { return place }
                hasFailed = true
            case .note(let register):
                set(register, to: place)
                step += 1
            case .capture(let register):
                set(register, to: registers[register + 2])
                set(register + 1, to: place)
                step += 1
            case .leave(let next, let register):
                step = registers[register] == place ? next : step + 1
            case .reference(let register):
                if let end = try self.end(ofCopy: register, at: place, &budget) {
                    place = end
                } else {
                    hasFailed = true
                }
                step += 1
            case .grapheme:
                hasFailed = place == count
                if !hasFailed {
                    let end = text.graphemeEnd(from: place)
                    try budget.spend(end - place)
                    place = end
                }
                step += 1
            case .atomic(let next):
                let first = returns.count
                let end = try run(
                    step + 1, at: place, isWhole: false, &membership, &budget)
                forgetWays(from: first)
                if let end { place = end } else { hasFailed = true }
                step = next
            case .lookahead(let isNegated, let next):
                let first = returns.count
                let end = try run(
                    step + 1, at: place, isWhole: false, &membership, &budget)
                if isNegated { restore(to: first) } else { forgetWays(from: first) }
                hasFailed = (end != nil) == isNegated
                step = next
            }
            guard hasFailed else { continue }
            guard let other = nextWay(downTo: base) else { return nil }
            (step, place) = other
        }
    }

    private mutating func set(_ register: Int, to place: Int) {
        returns.append(.restore(register: register, value: registers[register]))
        registers[register] = place
    }

    /// Restores the registers that were set since the last choice.
    private mutating func nextWay(downTo base: Int) -> (step: Int, place: Int)? {
        while returns.count > base, let last = returns.popLast() {
            switch last {
            case .goOn(let step, let place): return (step, place)
            case .restore(let register, let value): registers[register] = value
            }
        }
        return nil
    }

    private mutating func restore(to base: Int) {
        while nextWay(downTo: base) != nil {}
    }

    /// Keeps the match so far: its alternatives are not tried.
    private mutating func forgetWays(from base: Int) {
        let kept = returns[base...].filter {
            if case .restore = $0 { true } else { false }
        }
        returns.replaceSubrange(base..., with: kept)
    }

    /// Returns the end of a group's text if the same text is at a position; otherwise nil.
    private func end(
        ofCopy register: Int, at place: Int, _ budget: inout PatternBudget
    ) throws -> Int? {
        let (start, end) = (registers[register], registers[register + 1])
        guard start != Self.unset, end != Self.unset, start <= end,
            place + (end - start) <= text.scalars.count
        else { return nil }
        try budget.spend(end - start)
        let copy = text.scalars[place..<place + (end - start)]
        return text.scalars[start..<end].elementsEqual(copy) ? place + (end - start) : nil
    }
}
