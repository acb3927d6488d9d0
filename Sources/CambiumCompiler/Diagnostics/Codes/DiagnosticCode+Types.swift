// 4xx: codable values and composites
extension DiagnosticCode {
    static let codableWithoutDefault = DiagnosticCode(
        410, title: "A required codable has no value to start with",
        meaning: """
            A required property has a value from the first moment on. For a type of the program \
            nobody but the author knows which.
            """,
        remedy: "Write the default as JSON, or make the attribute optional.",
        wrong: .product(#"<attribute name="labels" type="codable" class="[String]"/>"#),
        right: .product(
            #"<attribute name="labels" type="codable" class="[String]" default="[]"/>"#))

    static let madeOptional = DiagnosticCode(
        411, .warning, title: "A required property of Xcode is optional here",
        meaning: """
            Core Data lets a required transformable or derived attribute be nil until it is \
            saved. In Swift a required property is never nil, and for this one there is no value \
            to start with, so it is optional in the generated class.
            """,
        remedy: """
            Nothing, if that is right. Otherwise make it optional in the model, or give it a \
            default.
            """,
        wrong: .words(
            "A required transformable without a default, in a model of Xcode"),
        right: .words(
            "The same, optional"))

    static let invalidClass = DiagnosticCode(
        412, isWarningInXcode: true, title: "The class is no name of a Swift type",
        meaning: """
            The name is written into Swift code as it is, so it has to be a type and nothing \
            else: names with dots and generic arguments, [Element], [Key: Value], and a ? behind \
            each.
            """,
        remedy: "Write the type as Swift does, without a module or access level before it.",
        wrong: .product(#"<attribute name="labels" type="codable" class="[String" default="[]"/>"#),
        right: .product(
            #"<attribute name="labels" type="codable" class="[String]" default="[]"/>"#))

    static let compositeCycle = DiagnosticCode(
        413, title: "A composite contains itself",
        meaning: """
            A composite is kept as a column for each of its parts. One that contains itself, \
            directly or through others, would have no end of them.
            """,
        remedy: "Use a relationship to an entity where something leads to more of its own kind.",
        wrong: """
            <composite name="Box">
              <attribute name="inner" type="Box" optional="true"/>
            </composite>
            <entity name="Product">
              <attribute name="box" type="Box"/>
            </entity>
            """,
        right: """
            <composite name="Box">
              <attribute name="width" type="int32"/>
            </composite>
            <entity name="Product">
              <attribute name="box" type="Box"/>
            </entity>
            """)
}
