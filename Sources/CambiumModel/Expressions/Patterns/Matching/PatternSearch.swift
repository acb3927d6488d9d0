/// Matches by trying one way through a program after the other, as long as the budget lasts: for
/// patterns with back-references, look-around and atomic groups.
struct PatternSearch {
    /// What is done where a way has come to nothing, the last first.
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
    /// What is to be tried later, or put back, takes memory: there is one of these for so many steps at
    /// most.
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

    /// Where the first way that comes to the end arrives; nil where none does.
    ///
    /// - Parameter isWhole: Whether it must arrive at the end of the text.
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

    /// Takes back what was noted since the last choice.
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

    /// Keeps what has matched: its other ways are not tried.
    private mutating func forgetWays(from base: Int) {
        let kept = returns[base...].filter {
            if case .restore = $0 { true } else { false }
        }
        returns.replaceSubrange(base..., with: kept)
    }

    /// Where the text that a group has matched ends if it stands at a place; nil where it does not.
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
