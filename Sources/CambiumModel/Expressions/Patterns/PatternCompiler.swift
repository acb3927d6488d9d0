/// Makes programs of regular expressions.
struct PatternCompiler {
    /// How many steps a program may have: counted repetitions are written out.
    static let maximumSteps = 32_768

    private var program = PatternProgram()
    private var numbers: [ScalarSet: Int] = [:]
    private let hasReferences: Bool

    /// - Throws: ``PatternSyntaxError`` where the repetitions make the program too large.
    static func program(
        of pattern: PatternParser.Parsed
    ) throws(PatternSyntaxError) -> PatternProgram {
        var compiler = PatternCompiler(hasReferences: pattern.hasReferences)
        compiler.program.isLinear = !pattern.node.needsSearch
        // Loops get more.
        compiler.program.registerCount =
            pattern.hasReferences ? PatternProgram.registersOfGroup * (pattern.groupCount + 1) : 0
        try compiler.write(pattern.node)
        try compiler.append(.end)
        return compiler.program
    }

    private var place: Int { program.steps.count }

    private mutating func append(_ step: PatternProgram.Step) throws(PatternSyntaxError) {
        guard program.steps.count < Self.maximumSteps else {
            throw PatternSyntaxError(
                "its repetitions are too large: they take more than \(Self.maximumSteps) steps")
        }
        program.steps.append(step)
    }

    private mutating func number(of set: ScalarSet) -> Int {
        if let known = numbers[set] { return known }
        program.sets.append(set)
        numbers[set] = program.sets.count - 1
        return program.sets.count - 1
    }

    private mutating func write(_ node: PatternNode) throws(PatternSyntaxError) {
        switch node {
        case .empty: break
        case .scalar(let set): try append(.scalar(number(of: set)))
        case .assertion(let assertion): try write(assertion)
        case .sequence(let parts):
            for part in parts { try write(part) }
        case .choice(let parts): try write(choice: parts)
        case .repetition(let body, let minimum, let maximum, let kind):
            try write(body, minimum, maximum, kind)
        case .capture(let group, let body):
            let register = PatternProgram.registersOfGroup * group
            if hasReferences { try append(.note(register: register + 2)) }
            try write(body)
            if hasReferences { try append(.capture(register)) }
        case .atomic(let body):
            try write(whole: body) { .atomic(next: $0) }
        case .lookahead(let body, let isNegated):
            try write(whole: body) { .lookahead(isNegated: isNegated, next: $0) }
        case .reference(let group):
            try append(.reference(PatternProgram.registersOfGroup * group))
        case .grapheme:
            program.looksAtGraphemes = true
            try append(.grapheme)
        }
    }

    private mutating func write(_ assertion: PatternAssertion) throws(PatternSyntaxError) {
        program.hasAssertions = true
        switch assertion {
        case .notBefore(let set):
            try append(.notBefore(number(of: set)))
            return
        case .wordBoundary: program.looksAtWords = true
        case .graphemeBoundary: program.looksAtGraphemes = true
        default: break
        }
        try append(.assert(assertion))
    }

    private mutating func write(
        whole body: PatternNode, _ step: (_ next: Int) -> PatternProgram.Step
    ) throws(PatternSyntaxError) {
        let start = place
        try append(.jump(0))
        try write(body)
        try append(.end)
        program.steps[start] = step(place)
    }

    private mutating func write(choice parts: [PatternNode]) throws(PatternSyntaxError) {
        var ends: [Int] = []
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let start = place
            if !isLast { try append(.jump(0)) }
            try write(part)
            guard !isLast else { continue }
            ends.append(place)
            try append(.jump(0))
            program.steps[start] = .split(start + 1, place)
        }
        for end in ends { program.steps[end] = .jump(place) }
    }

    // MARK: Repetitions

    private mutating func write(
        _ body: PatternNode, _ minimum: Int, _ maximum: Int?, _ kind: PatternRepetition
    ) throws(PatternSyntaxError) {
        if kind == .possessive {
            try write(possessive: body, minimum, maximum)
            return
        }
        for _ in 0..<minimum {
            let start = place
            try write(body)
            if place == start { return }  // nothing, however often
        }
        guard let maximum else {
            try write(loop: body, kind)
            return
        }
        var exits: [Int] = []
        for _ in minimum..<maximum {
            exits.append(place)
            try append(.jump(0))
            let start = place
            try write(body)
            if place == start { break }
        }
        for exit in exits { program.steps[exit] = Self.split(exit + 1, else: place, kind) }
    }

    private mutating func write(
        loop body: PatternNode, _ kind: PatternRepetition
    ) throws(PatternSyntaxError) {
        let start = place
        try append(.jump(0))
        // Only a search can turn in a loop for ever; the others note where they have been.
        let register = !program.isLinear && body.mayBeEmpty ? program.registerCount : nil
        if let register {
            program.registerCount += 1
            try append(.note(register: register))
        }
        try write(body)
        let check = place
        if register != nil { try append(.jump(0)) }
        try append(.jump(start))
        if let register {
            program.steps[check] = .leave(to: place, unlessAfter: register)
        }
        program.steps[start] = Self.split(start + 1, else: place, kind)
    }

    private static func split(
        _ body: Int, else next: Int, _ kind: PatternRepetition
    ) -> PatternProgram.Step {
        kind == .reluctant ? .split(next, body) : .split(body, next)
    }

    /// Of single scalars a possessive repetition takes all that are there, which an automaton can
    /// check: no other follows, or there are as many as there may be.
    private mutating func write(
        possessive body: PatternNode, _ minimum: Int, _ maximum: Int?
    ) throws(PatternSyntaxError) {
        guard case .scalar(let set) = body else {
            try write(.atomic(.repetition(body, minimum: minimum, maximum: maximum, .greedy)))
            return
        }
        let last = PatternNode.assertion(.notBefore(set))
        guard let maximum else {
            try write(body, minimum, nil, .greedy)
            try write(last)
            return
        }
        let all = PatternNode.repetition(body, minimum: maximum, maximum: maximum, .greedy)
        guard minimum < maximum else {
            try write(all)
            return
        }
        let fewer = PatternNode.repetition(
            body, minimum: minimum, maximum: maximum - 1, .greedy)
        try write(choice: [all, .sequence([fewer, last])])
    }
}

extension PatternNode {
    /// Whether an automaton cannot match it, so that ways have to be tried one after the other.
    fileprivate var needsSearch: Bool {
        switch self {
        case .empty, .scalar, .assertion: false
        case .sequence(let parts), .choice(let parts): parts.contains(where: \.needsSearch)
        case .repetition(.scalar, _, _, _): false
        case .repetition(let body, _, _, let kind): kind == .possessive || body.needsSearch
        case .capture(_, let body): body.needsSearch
        case .atomic, .lookahead, .reference, .grapheme: true
        }
    }

    /// Whether it can match without consuming anything.
    fileprivate var mayBeEmpty: Bool {
        switch self {
        case .empty, .assertion, .lookahead, .reference: true
        case .scalar, .grapheme: false
        case .sequence(let parts): parts.allSatisfy(\.mayBeEmpty)
        case .choice(let parts): parts.contains(where: \.mayBeEmpty)
        case .repetition(let body, let minimum, _, _): minimum == 0 || body.mayBeEmpty
        case .capture(_, let body), .atomic(let body): body.mayBeEmpty
        }
    }
}
