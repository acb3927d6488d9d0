import Cambium
import ShopModel

/// A random program: what happens to a shop in a context, beside a sibling, while lists of all kinds
/// are followed. Each step has a seed of its own, so that the others can do without it.
struct TableProgram {
    private let seed: UInt64
    private(set) var steps: [UInt64]

    init(seed: UInt64, length: Int = 40) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        steps = (0..<length).map { _ in generator.next() }
    }

    /// What goes wrong; nil where nothing does.
    func failure() throws -> String? {
        try withContainer(Shop.model) { container in
            var work = try TableWork(container, seed: seed)
            for (number, step) in steps.enumerated() {
                let faults = try work.run(step)
                guard faults.isEmpty else {
                    return """
                        step \(number): \(faults.joined(separator: "\n"))
                        \(work.log.joined(separator: "\n"))
                        """
                }
            }
            return nil
        }
    }

    /// A program that fails, with as few steps as can be found in a moment.
    func shrunk() throws -> TableProgram {
        var program = self
        var size = program.steps.count / 2
        while size > 0 {
            var start = 0
            while start < program.steps.count {
                var shorter = program
                shorter.steps.removeSubrange(start..<min(start + size, program.steps.count))
                if try shorter.failure() != nil { program = shorter } else { start += size }
            }
            size /= 2
        }
        return program
    }
}
