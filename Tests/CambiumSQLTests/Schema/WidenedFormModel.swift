import CambiumModel

/// The storage forms of composite, codable, derived, external and transient properties, of decimals
/// of any scale and of indexes by computed values, in a root and in a sub-entity.
enum WidenedFormModel {
    static let model = Model(
        name: "Widened", version: "1", entities: [shop, stall, parcel], composites: [place, spot])

    private static let spot = Composite(
        name: "Spot",
        attributes: [
            Attribute(name: "latitude", type: .double), Attribute(name: "longitude", type: .double),
        ])

    private static let place = Composite(
        name: "Place",
        attributes: [
            Attribute(name: "street", type: .string, limits: Limits(maximumLength: 80)),
            Attribute(name: "number", type: .int32, isOptional: true),
            Attribute(name: "spot.latitude", type: .double, isOptional: true),
            Attribute(name: "spot.longitude", type: .double, isOptional: true),
        ],
        compositeAttributes: [
            CompositeAttribute(name: "spot", composite: "Spot", isOptional: true)
        ])

    private static func parts(of name: String, isOptional: Bool) -> [Attribute] {
        place.attributes.map {
            Attribute(
                name: "\(name).\($0.name)", type: $0.type,
                isOptional: $0.isOptional || isOptional, limits: $0.limits)
        }
    }

    private static func composites(_ name: String, isOptional: Bool) -> [CompositeAttribute] {
        [
            CompositeAttribute(name: name, composite: "Place", isOptional: isOptional),
            CompositeAttribute(name: "\(name).spot", composite: "Spot", isOptional: true),
        ]
    }

    private static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }

    private static let shop = Entity(
        name: "Shop",
        attributes: parts(of: "address", isOptional: false) + [
            Attribute(name: "name", type: .string),
            Attribute(
                name: "worth", type: .anyDecimal, defaultValue: .constant(.int(0)),
                limits: Limits(
                    minimum: .decimal(Decimal(sign: .minus, exponent: -1, significand: 15)),
                    maximum: .int(1000))),
            Attribute(
                name: "hours", type: .codable("[String: Int]"),
                defaultValue: .constant(.string("{}"))),
            Attribute(
                name: "photo", type: .data, isOptional: true, limits: Limits(maximumLength: 9),
                isExternal: true),
            Attribute(
                name: "nameLength", type: .int64, derivation: .function(.length, [path("name")])),
            Attribute(
                name: "shout", type: .string, derivation: .function(.uppercase, [path("name")])),
            Attribute(
                name: "parcelCount", type: .int32,
                derivation: .aggregate(.count, path("parcels"))),
        ],
        compositeAttributes: composites("address", isOptional: false),
        relationships: [
            Relationship(
                name: "parcels", destination: "Parcel", inverse: "shop", isToMany: true),
            Relationship(name: "neighbour", destination: "Shop", isTransient: true),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["address.street", "address.number"])],
        indexes: [
            Index(name: "byWorth", elements: [IndexElement(property: "worth", isDescending: true)]),
            Index(elements: [
                IndexElement(property: "", expression: .function(.length, [path("name")])),
                IndexElement(property: "address.street"),
            ]),
            Index(elements: [
                IndexElement(property: "", expression: .function(.uppercase, [path("name")]))
            ]),
        ])

    private static let stall = Entity(
        name: "Stall", parent: "Shop",
        attributes: parts(of: "store", isOptional: true) + [
            Attribute(name: "width", type: .double),
            Attribute(
                name: "area", type: .double, isOptional: true,
                derivation: .arithmetic(path("width"), .multiply, .literal(.double(2)))),
        ],
        compositeAttributes: composites("store", isOptional: true),
        uniqueConstraints: [UniqueConstraint(properties: ["store.street"])])

    private static let parcel = Entity(
        name: "Parcel",
        relationships: [Relationship(name: "shop", destination: "Shop", inverse: "parcels")])
}
