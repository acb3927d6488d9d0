import CambiumMigration
import CambiumModel
import CambiumPlan

@testable import CambiumCompiler

/// A model and everything else that the emitter takes.
struct EmitterInput {
    var model: Model
    var schema: [String] = []
    var migrations: [Migration] = []
    var access = AccessLevel.internal

    /// The files that it becomes.
    func files() -> [SwiftFile] {
        SwiftEmitter(
            model: model, bundle: "\(model.name).cambium", access: access
        ).files(schema: schema, migrations: migrations)
    }
}

extension EmitterInput {
    /// A public model with a little of everything that a shop needs.
    static var shop: EmitterInput {
        EmitterInput(
            model: Model(
                name: "Shop", version: "3", entities: [product, category, tag, named, place],
                enumerations: [kind, rating]),
            schema: [
                "CREATE TABLE \"Category\" (_id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
                """
                CREATE TABLE "Product" (
                    _id INTEGER PRIMARY KEY,
                    sku TEXT NOT NULL CHECK (length(sku) >= 3 AND sku GLOB '[A-Z]*')
                ) STRICT
                """,
            ],
            migrations: [
                Migration(
                    from: "1", to: "2", fromHash: "aaaa", toHash: "bbbb",
                    steps: [
                        MigrationStep(
                            summary: "Add Product.kind", kind: .needsData,
                            statements: [
                                .init(
                                    .addColumn("kind", to: "Product"),
                                    "ALTER TABLE \"Product\" ADD COLUMN kind TEXT NOT NULL DEFAULT "
                                        + "'book' CHECK (kind IN ('book', 'TOY')), and something else"
                                ),
                                .init(
                                    .copyRows(
                                        RowCopy(
                                            "Old", to: "_new_Product",
                                            ["_id", "_version", "name", "sku"],
                                            origins: ["name": ["title"], "sku": []],
                                            computed: ["label"], after: ["Other"])),
                                    "INSERT INTO \"_new_Product\" …\n", "SELECT …\nFROM \"Old\""),
                                .init(
                                    .checkRows("Product", with: ["Tag"], type: "string"),
                                    "INSERT INTO \"_refusal\" …\n", "SELECT …"),
                                .init(
                                    .updateRows("Product", from: ["Tag"]), "UPDATE … WHERE ", "1"),
                                .init(.insertRows("Product_tags", from: ["Tag"]), "INSERT …"),
                                .init(
                                    .createIndex(
                                        "Product.unique.sku", on: "Product",
                                        unique: .init(["sku"], of: ["Product"])), "CREATE …"),
                                .init(
                                    .createIndex("Product.index.name", on: "Product"), "CREATE …"),
                                .init(.renameTable("_new_Product", to: "Product"), "ALTER …"),
                                .init(.dropTable("Old"), "DROP …"),
                                .init(.other, "PRAGMA …"),
                            ])
                    ]),
                Migration(from: "2", to: "3", fromHash: "bbbb", toHash: "cccc", steps: []),
            ],
            access: .public)
    }

    private static let kind = Enumeration(
        name: "Kind", rawType: .string,
        cases: [
            EnumerationCase(name: "book", rawValue: .string("book")),
            EnumerationCase(name: "toy", rawValue: .string("TOY")),
            EnumerationCase(name: "default", rawValue: .string("default")),
        ])

    private static let rating = Enumeration(
        name: "Rating", rawType: .int16,
        cases: [
            EnumerationCase(name: "bad", rawValue: .int(-1)),
            EnumerationCase(name: "good", rawValue: .int(1)),
        ])

    private static let product = Entity(
        name: "Product",
        attributes: [
            Attribute(
                name: "sku", type: .string,
                limits: Limits(minimumLength: 3, maximumLength: 20, pattern: #"[A-Z]{2}-\d+"#)),
            Attribute(
                name: "title", type: .string, defaultValue: .constant(.string("Untitled")),
                renamedFrom: "name"),
            Attribute(name: "kind", type: .enumeration("Kind")),
            Attribute(
                name: "price", type: .decimal(scale: 2),
                limits: Limits(
                    minimum: .int(0), maximum: .decimal(Decimal(string: "99999.99") ?? 0))),
            Attribute(name: "salePrice", type: .decimal(scale: 2), isOptional: true),
            Attribute(
                name: "stock", type: .int32, defaultValue: .constant(.int(0)),
                limits: Limits(minimum: .int(0)), merge: .sum),
            Attribute(
                name: "photo", type: .data, isOptional: true, limits: Limits(maximumLength: 65536)),
            Attribute(
                name: "isSelected", type: .bool, isTransient: true,
                defaultValue: .constant(.bool(false))),
            Attribute(
                name: "rating", type: .enumeration("Rating"), isOptional: true,
                defaultValue: .constant(.int(1))),
        ],
        relationships: [
            Relationship(name: "category", destination: "Category", inverse: "products"),
            Relationship(
                name: "tags", destination: "Tag", inverse: "products", isToMany: true,
                maximumCount: 8),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["sku"])],
        indexes: [
            Index(
                elements: [
                    IndexElement(property: "price", isDescending: true),
                    IndexElement(property: "title"),
                ],
                condition: .comparison(path("stock"), .greater, .literal(.int(0)), []))
        ],
        rules: [
            Rule(
                name: "saleBelowPrice", message: "A sale price is below the price",
                condition: .or([
                    .comparison(path("salePrice"), .equal, .literal(.null), []),
                    .comparison(path("salePrice"), .less, path("price"), []),
                ]))
        ],
        fetchTemplates: [
            FetchTemplate(
                name: "cheaper",
                parameters: [FetchParameter(name: "limit", type: .decimal(scale: 2))],
                condition: .comparison(path("price"), .less, .parameter("limit"), []),
                sort: [IndexElement(property: "price"), IndexElement(property: "title")]),
            FetchTemplate(
                name: "similar",
                parameters: [
                    FetchParameter(name: "kind", type: .enumeration("Kind")),
                    FetchParameter(name: "rating", type: .enumeration("Rating")),
                    FetchParameter(name: "stock", type: .int32),
                    FetchParameter(name: "in", type: .string),
                ]),
            FetchTemplate(name: "everything"),
        ])

    private static let category = Entity(
        name: "Category",
        attributes: [
            Attribute(name: "name", type: .string, limits: Limits(minimumLength: 1)),
            Attribute(name: "isBrand", type: .bool, defaultValue: .constant(.bool(false))),
            Attribute(name: "created", type: .date, defaultValue: .now),
        ],
        relationships: [
            Relationship(
                name: "products", destination: "Product", inverse: "category", isToMany: true,
                deleteRule: .deny)
        ])

    private static let named = Entity(
        name: "Named", isAbstract: true,
        attributes: [
            Attribute(name: "label", type: .string, hasCustomValidation: true),
            Attribute(name: "uuid", type: .uuid, defaultValue: .newUUID),
        ])

    private static let tag = Entity(
        name: "Tag", parent: "Named", hasCustomValidation: true,
        attributes: [Attribute(name: "default", type: .int64, isOptional: true)],
        relationships: [
            Relationship(name: "products", destination: "Product", inverse: "tags", isToMany: true),
            Relationship(name: "place", destination: "Place", inverse: "tag", isOptional: false),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["label", "place"])])

    private static let place = Entity(
        name: "Place",
        attributes: [
            Attribute(
                name: "latitude", type: .double, defaultValue: .constant(.double(0.1)),
                limits: Limits(minimum: .int(-90), maximum: .double(90))),
            Attribute(
                name: "since", type: .date,
                limits: Limits(minimum: .date(Date(timeIntervalSinceReferenceDate: 0.5)))),
            Attribute(name: "website", type: .uri, isOptional: true),
        ],
        relationships: [
            Relationship(name: "tag", destination: "Tag", inverse: "place", deleteRule: .cascade)
        ])

    private static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }
}
