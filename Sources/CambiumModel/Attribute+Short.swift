extension Attribute {
    /// A required attribute with nothing but a name and a type: what generated code says most.
    public static func required(_ name: String, _ type: AttributeType) -> Attribute {
        Attribute(name: name, type: type)
    }

    /// An optional attribute with nothing but a name and a type.
    public static func optional(_ name: String, _ type: AttributeType) -> Attribute {
        Attribute(name: name, type: type, isOptional: true)
    }
}
