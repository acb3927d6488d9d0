import CambiumSQL
import Testing

@Suite struct ConstraintNameTests {
    @Test(arguments: [
        (
            ConstraintName.property(entity: "Product", property: "price", .minimum),
            "Product.price.min"
        ),
        (.property(entity: "Product", property: "rule", .range), "Product.property.rule.range"),
        (
            .property(entity: "Product", property: "address.city", .maximumLength),
            "Product.address.city.maxLength"
        ),
        (
            .property(entity: "Product", property: "address.spot", .presence),
            "Product.address.spot.presence"
        ),
        (
            .property(entity: "Product", property: "property.rule", .minimum),
            "Product.property.property.rule.min"
        ),
        (
            .unique(entity: "Product", properties: ["address.city", "sku"]),
            "Product.unique.address.city+sku"
        ),
        (.rule(entity: "Product", name: "min"), "Product.rule.min"),
        (.unique(entity: "Product", properties: ["sku", "tenant"]), "Product.unique.sku+tenant"),
    ])
    func `a name is read back from its text`(name: ConstraintName, text: String) {
        #expect(name.text == text)
        #expect(ConstraintName(text) == name)
    }

    @Test(arguments: ["", "Product", "Product.price", "Product.price.colour", "a.b.c.d.e"])
    func `a text of another kind is no name`(text: String) {
        #expect(ConstraintName(text) == nil)
    }
}
