import CambiumModel
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumSQL

/// The condition of a fetched property, with the values of the object that has it, finds the same
/// in memory and in SQL, and the same as if that object itself looked for what meets it.
///
/// `CAMBIUM_SEED` replays a run, `CAMBIUM_GENERATOR_SECONDS` makes it longer.
@Suite struct FetchedBindingTests {
    /// Conditions over what is found, `[D]` with its properties `<D>…`, and what has the property,
    /// `[S]`.
    private static let shapes = [
        "<D>name == <S>name", "<D>count < <S>count + <S>stock", "<D>box == <S>box", "[D] != [S]",
        "[D] == [S]", "ANY <D>tags.word == <S>name", "ANY <S>tags.word == <D>name",
        "ALL <S>tags.word != <D>name", "NONE <S>box.items.name == <D>code", "<D>made >= <S>made",
        "<D>name IN <S>tags.word", "<D>price > <S>price", "<D>tax == <S>price",
        "<D>amount > <S>rate", "<D>rate == <S>amount", "<D>weight * <S>weight > 1",
        "<D>isNew == <S>isNew", "<D>kind == <S>kind", "<D>name BEGINSWITH[c] <S>code",
        "<S>name LIKE[cd] <D>code", "[D] IN <S>box.items", "<S>tags.@count > <D>stock",
        "<S>box.items.stock.@sum > <D>stock", "<S>home == nil",
        "<D>count IN {<S>count, <S>stock, nil}", "<D>stock BETWEEN {<S>stock, <S>count}",
        "SUBQUERY(<S>box.items, $i, $i.stock > <D>stock).@count > 1",
        "SUBQUERY(<D>box.items, $i, $i.stock > <S>stock).@count > 1",
        "TERNARY(<S>isNew == YES, <D>stock, <D>count) > <S>stock",
        "<D>box.parent == <S>box.parent", "<D>label.text == <S>label.text", "<S>label.item == [D]",
    ]

    /// A shape for two objects: the subject, or variables.
    private func text(_ shape: String, found: String, source: String) -> String {
        var text = shape
        for (letter, name) in [("D", found), ("S", source)] {
            text = text.replacingOccurrences(
                of: "<\(letter)>", with: name == "SELF" ? "" : name + ".")
            text = text.replacingOccurrences(of: "[\(letter)]", with: name)
        }
        return text
    }

    private func randomShape(using random: inout some RandomNumberGenerator) -> String {
        let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let shape = Self.shapes.randomElement(using: &random) ?? "[D] == [S]"
            return Bool.random(using: &random) ? "(\(shape))" : "NOT (\(shape))"
        }
        return parts.joined(separator: Bool.random(using: &random) ? " AND " : " OR ")
    }

    @Test func `a bound condition finds the same in memory, in SQL and from the source`() throws {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)
        let seconds = environment["CAMBIUM_GENERATOR_SECONDS"].flatMap(Double.init) ?? 1
        print("bindings: CAMBIUM_SEED=\(seed)")
        var random = ExpressionDifferentialTests.Generator(state: seed)
        let shop = RandomShop(using: &random)
        let connection = try shop.store()
        let end = Date().addingTimeInterval(seconds)
        var count = 0
        for shape in Self.shapes {
            try agree(shape, shop, connection, seed, using: &random)
        }
        while Date() < end || count < 10 {
            try agree(randomShape(using: &random), shop, connection, seed, using: &random)
            count += 1
        }
        print("bindings: \(count) conditions compared")
        #expect(count >= 10)
    }

    private func agree(
        _ shape: String, _ shop: RandomShop, _ connection: Connection, _ seed: UInt64,
        using random: inout ExpressionDifferentialTests.Generator
    ) throws {
        let (entity, model) = (ExpressionFixture.item, ExpressionFixture.model)
        let own = text(shape, found: "SELF", source: "$source")
        let condition = try ExpressionCompiler.fetchedCondition(
            own, property: "rivals", userInfo: [:], source: entity, destination: entity,
            model: model
        ).get()
        let asked = text(shape, found: "$d", source: "SELF")
        let reverse = try ExpressionCompiler.condition(
            "SUBQUERY(box.items, $d, \(asked)).@count == 0", entity: entity, model: model
        ).get()
        guard case .comparison(let number, _, _, _) = reverse else { return }
        let counter = ExpressionEvaluator(
            try ExpressionCompiler.typedValue(number, entity: entity, model: model))
        for source in shop.items.shuffled(using: &random).prefix(4) {
            let bound = try condition.binding(source: source, entity: entity, model: model)
            let evaluator = try ExpressionEvaluator(
                condition: bound, entity: entity, model: model)
            let expected = Set(
                try shop.items.filter { try evaluator.isTrue($0) }.map(\.expressionKey))
            let sql = try ExpressionSQL.condition(bound, entity: entity, model: model, alias: "t")
            let rows = try connection.rows(
                "SELECT \"_id\" FROM \"Item\" AS \"t\" WHERE \(sql.text)", sql.bindings())
            connection.forgetStatements()
            let keys = Set(
                rows.compactMap { row in if case .integer(let key) = row[0] { key } else { nil } })
            let place = "\(own)\n\(bound)\nsource \(source.expressionKey), CAMBIUM_SEED=\(seed)"
            #expect(keys == expected, "\(place)")
            let siblings = source.toOnes["box"]?.toManys["items"] ?? []
            let found = siblings.filter { expected.contains($0.expressionKey) }.count
            #expect(try counter.evaluate(source) == .int(Int64(found)), "\(place)")
        }
    }
}
