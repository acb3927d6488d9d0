import CambiumModel
import Testing

@Suite struct ParameterInferenceTests {
    private func template(
        _ text: String, _ parameters: [FetchParameter] = [], undeclared: [String]? = nil
    ) -> Result<(condition: ModelExpression, inferred: [FetchParameter]), ExpressionDiagnostics> {
        ExpressionCompiler.template(
            text, entity: ShopModel.product, model: ShopModel.model, parameters: parameters,
            undeclared: undeclared)
    }

    @Test(arguments: [
        ("price < $x", AttributeType.decimal(scale: 2), false), ("$x == stock", .int32, false),
        ("title == $x OR $x == nil", .string, false), ("kind == $x", .enumeration("Kind"), false),
        ("stock IN $x", .int32, true), ("price BETWEEN $x", .decimal(scale: 2), true),
        ("price BETWEEN {$x, 10}", .decimal(scale: 2), false), ("added > $x", .date, false),
        ("added + $x > now()", .double, false), ("isNew == $x", .bool, false), ("$x", .bool, false),
        ("stock < $x AND price < $x", .decimal(scale: 2), false),
        ("stock < $x AND weight < $x", .double, false),
        ("stock < $x AND amount < $x", .anyDecimal, false),
        ("ANY tags.word BEGINSWITH $x", .string, false), ("home.geo.lat > $x", .double, false),
        ("length:($x) > 3", .string, false), ("token == $x", .uuid, false),
        ("tags.@count > $x", .int64, false), ("ANY tags.word IN $x", .string, true),
        ("TERNARY(isNew, $x, price) > 1", .decimal(scale: 2), false),
    ])
    func `a type follows from use`(_ text: String, _ type: AttributeType, _ isList: Bool) throws {
        let found = try template(text).get()
        #expect(found.inferred == [FetchParameter(name: "x", type: type, isList: isList)])
    }

    @Test(arguments: [
        ("category == $x", "Category", false), ("category != $x OR $x == nil", "Category", false),
        ("category IN $x", "Category", true), ("ANY tags == $x", "Tag", false),
        ("$x IN tags", "Tag", false), ("SELF == $x", "Product", false),
    ])
    func `an object's entity follows from use`(
        _ text: String, _ entity: String, _ isList: Bool
    ) throws {
        let found = try template(text).get()
        #expect(found.inferred == [FetchParameter(name: "x", entity: entity, isList: isList)])
    }

    @Test func `an object of an entity that does not fit is a mistake`() {
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try template("category == $x", [FetchParameter(name: "x", entity: "Tag")]).get()
        }
        #expect(
            error?.diagnostics.map(\.message) == [
                "an object of Category cannot be compared with an object of Tag"
            ])
    }

    @Test(arguments: [
        "prise == $x", "prise IN {$x, 3}", "stock IN {$x, $y}", "stock BETWEEN {$x, $y}",
        "price < $x AND stock > $y",
    ])
    func `every unknown name is told of`(_ text: String) {
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try template(text, undeclared: []).get()
        }
        #expect(error?.diagnostics.count == 2)
        #expect(error?.diagnostics.last?.lackingParameter != nil)
    }

    @Test func `parameters come in the order of the text, declared ones left out`() throws {
        let declared = FetchParameter(name: "b", type: .double)
        let found = try template("stock > $c AND weight > $b AND title == $a", [declared]).get()
        #expect(found.inferred.map(\.name) == ["c", "a"])
    }

    @Test(arguments: [
        ("title == $x AND stock == $x", 25, "$x is a string in one place and an integer here"),
        ("$x == nil", 0, "cannot infer the type of $x"),
        ("$x == $y", 0, "cannot infer the type of $x"),
        (
            "stock IN $x OR stock == $x", 24,
            "$x is a list in one place and a single value in another"
        ),
        (
            "category == $x AND SELF == $x", 27,
            "$x is an object of Category in one place and an object of Product here"
        ),
        (
            "category == $x AND stock == $x", 28,
            "$x is an object of Category in one place and an integer here"
        ),
        ("prise < $x", 0, "'Product' has no property 'prise'"),
        ("colour == $x", 0, "a value of Colour can only be compared with nil"),
        ("price < $x AND stock = 'y'", 23, "a string where an integer is wanted"),
    ])
    func `what cannot be told is a mistake with its place`(
        _ text: String, _ offset: Int, _ message: String
    ) {
        let error = #expect(throws: ExpressionDiagnostics.self) { try template(text).get() }
        #expect(error?.diagnostics.first?.offset == offset)
        #expect(error?.diagnostics.first?.message == message)
    }

    @Test func `only the names that were declared may be used`() throws {
        let found = try template("price < $limit", undeclared: ["limit"]).get()
        #expect(found.inferred.map(\.name) == ["limit"])
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try template("price < $limt", undeclared: ["limit"]).get()
        }
        #expect(error?.diagnostics.first?.hint == "did you mean $limit?")
    }

    @Test func `a list takes part once its values are put in`() throws {
        let condition = try template("stock IN $x AND price BETWEEN $y AND title == $z").get()
            .condition.substituting([
                "x": .list([.int(1), .int(2)]), "y": .list([.int(0), .int(5)]),
                "z": .value(.string("a")),
            ])
        #expect(
            condition.description
                == "stock IN {1, 2} AND price BETWEEN {0, 5} AND title == 'a'")
    }

    @Test func `a declared list stands at the right of IN only`() {
        let list = FetchParameter(name: "x", type: .int64, isList: true)
        #expect(throws: Never.self) {
            try ShopModel.condition("stock IN $x", parameters: [list])
        }
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try ShopModel.condition("stock == $x", parameters: [list])
        }
        #expect(error?.diagnostics.first?.message == "$x is a list")
        #expect(throws: ExpressionDiagnostics.self) {
            try ShopModel.condition("title IN $x", parameters: [list])
        }
    }
}
