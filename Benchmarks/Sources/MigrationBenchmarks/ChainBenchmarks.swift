import Foundation

/// The 116 steps of WooCommerce: their proof, and stores that are migrated through all of them.
struct ChainBenchmarks {
    let tool: Tool
    let bundle: String
    let declarations: String?
    let rounds: Int

    /// The first version with both products and orders in the form by which they are distinguished
    /// later.
    private static let middle = "Model 33"
    private static let objects = 10_000

    private var model: [String] {
        ["--model", bundle] + (declarations.map { ["--declarations", $0] } ?? [])
    }

    func run() throws {
        let verify = ["migrate", "verify", "--json"] + model
        let cold = try (0..<rounds).map { _ in
            try tool.run(verify + ["--no-proof-cache"]).seconds
        }
        report("planning and proving all steps, cold", median(cold), "goal: < 20 s")
        let proofs = ["--proofs", "\(tool.folder)/proofs"]
        try tool.run(verify + proofs)
        let warm = try (0..<rounds).map { _ in try tool.run(verify + proofs).seconds }
        report("the same, proven before", median(warm), "goal: nothing")

        let empty = try (0..<rounds).map { _ in
            try tool.migrate(
                try tool.makeStore("empty", model + ["--to", "Model"]), model)
        }
        report("the chain on an empty store", median(empty), "goal: < 1 s")
        let full = try (0..<rounds).map { _ in try measureFull() }
        report(
            "the chain on \(Self.objects) products and orders", median(full), "goal: < 5 s")
    }

    /// The first version has orders, and a later version adds products.
    private func measureFull() throws -> Double {
        let store = try tool.makeStore("full", model + ["--to", "Model"])
        try HandDatabase(store).fill("Order", rows: Self.objects)
        let first = try tool.migrate(store, model + ["--to", Self.middle])
        try HandDatabase(store).fill("Product", rows: Self.objects)
        return first + (try tool.migrate(store, model))
    }
}
