@testable import Cambium
import CambiumRecords
import Testing

/// What a controller has to look at so that it does not miss a change.
struct RelatedPathsTests {
    private static let model = Model(
        name: "M", version: "1",
        entities: [
            Entity(
                name: "Shelf",
                relationships: [
                    Relationship(
                        name: "books", destination: "Book", inverse: "shelf", isToMany: true)
                ]),
            Entity(
                name: "Book",
                attributes: [
                    Attribute(name: "price", type: .int64),
                    Attribute(name: "size.width", type: .int64),
                ],
                relationships: [
                    Relationship(name: "shelf", destination: "Shelf", inverse: "books"),
                    Relationship(name: "author", destination: "Author"),
                ]),
            Entity(name: "Author", attributes: [Attribute(name: "name", type: .string)]),
        ])

    /// The condition that a book of the shelf by a certain author costs something.
    private func condition(_ names: [String]) -> ModelExpression {
        .comparison(
            .aggregate(
                .minimum,
                .subquery(
                    .keyPath(root: .subject, names: names), variable: "b",
                    condition: .comparison(
                        .keyPath(root: .variable("b"), names: ["author", "name"]), .equal,
                        .literal(.string("a")), []))),
            .greater, .literal(.int(1)), [])
    }

    @Test(arguments: [
        ["books"], ["books", "price"], ["books", "size.width"], ["books", "size", "width"],
    ])
    func `a subquery looks beyond its objects whatever its path ends with`(
        _ names: [String]
    ) throws {
        let model = CompiledModel(Self.model).modelDescription
        let shelf = try #require(model["Shelf"])
        let author = try #require(model["Author"])
        let paths = RelatedPaths(condition(names), sort: [], of: shelf, in: model)
        #expect(paths.entities.contains(author.index))
        #expect(paths.usesInverseKeys)
    }
}
