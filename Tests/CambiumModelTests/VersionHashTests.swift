import CambiumModel
import Testing

@Suite struct VersionHashTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the digest equals the standard's examples`(text: String, digest: String) {
        #expect(SHA256.hexadecimal(of: text) == digest)
    }

    @Test func `the digest of a million letters equals the standard's`() {
        #expect(
            SHA256.hexadecimal(of: String(repeating: "a", count: 1_000_000))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    private func model(
        _ attributes: [Attribute] = [Attribute(name: "sku", type: .string)],
        indexes: [Index] = [], version: String = "1"
    ) -> Model {
        Model(
            name: "Shop", version: version,
            entities: [
                Entity(
                    name: "Product", attributes: attributes,
                    relationships: [
                        Relationship(name: "category", destination: "Category", inverse: "products")
                    ],
                    uniqueConstraints: [UniqueConstraint(properties: ["sku"])], indexes: indexes),
                Entity(
                    name: "Category",
                    relationships: [
                        Relationship(
                            name: "products", destination: "Product", inverse: "category",
                            isToMany: true)
                    ]),
            ],
            enumerations: [Enumeration(name: "Kind", rawType: .string, cases: [])])
    }

    @Test func `the canonical text has one line per thing`() {
        let text = model([
            Attribute(name: "sku", type: .string),
            Attribute(name: "price", type: .decimal(scale: 2), isOptional: true),
            Attribute(name: "kind", type: .enumeration("Kind"), isTransient: true),
        ]).canonicalText
        #expect(
            text == """
                cambium 1
                enum Kind string
                entity Category
                Category.relationship products many Product <- category
                entity Product
                Product.attribute kind Kind transient
                Product.attribute price decimal(2) optional
                Product.attribute sku string
                Product.relationship category one Category <- products optional
                Product.unique sku

                """)
    }

    @Test func `limits, defaults, indexes and versions leave the hash`() {
        let other = model(
            [
                Attribute(
                    name: "sku", type: .string, defaultValue: .constant(.string("x")),
                    limits: Limits(minimumLength: 1))
            ],
            indexes: [Index(elements: [IndexElement(property: "sku")])], version: "2")
        #expect(other.versionHash == model().versionHash)
    }

    @Test(arguments: [
        Attribute(name: "sku", type: .string, isOptional: true),
        Attribute(name: "sku", type: .uri),
        Attribute(name: "SKU", type: .string),
        Attribute(name: "sku", type: .string, isTransient: true),
    ])
    func `what the store holds changes the hash`(attribute: Attribute) {
        #expect(model([attribute]).versionHash != model().versionHash)
    }
}
