// 4xx: attributes that will hurt later
extension DiagnosticCode {
    static let fixedValue = DiagnosticCode(
        414, .warning, title: "The limits leave a single value",
        meaning: """
            An attribute that can have only one value says nothing, and takes room in every row.
            """,
        remedy: "Widen the limits, or leave the attribute out.",
        wrong: .product(
            #"<attribute name="sku" type="string"/>"#,
            #"<attribute name="stock" type="int32" min="1" max="1"/>"#),
        right: .product(
            #"<attribute name="sku" type="string"/>"#,
            #"<attribute name="stock" type="int32" min="0" max="1"/>"#))

    static let unusedType = DiagnosticCode(
        415, .warning, title: "Nothing is of the type",
        meaning: """
            The model declares an enumeration or a composite, and no attribute has it as its \
            type. Most often the attribute was forgotten, or still has another type.
            """,
        remedy: "Use it, or remove it.",
        wrong: """
            <enum name="Kind"><case name="book"/><case name="toy"/></enum>
            <entity name="Product">
              <attribute name="kind" type="string"/>
            </entity>
            """,
        right: """
            <enum name="Kind"><case name="book"/><case name="toy"/></enum>
            <entity name="Product">
              <attribute name="kind" type="Kind"/>
            </entity>
            """)

    static let smallExternalData = DiagnosticCode(
        416, .warning, title: "Small data is kept in files of its own",
        meaning: """
            A file for each value is worth its cost for large values. Small ones are read and \
            written faster in the row.
            """,
        remedy: #"Remove storage="external", or allow longer values."#,
        wrong: .product(
            #"<attribute name="icon" type="data" maxLength="1000" storage="external"/>"#),
        right: .product(#"<attribute name="icon" type="data" maxLength="1000"/>"#))
}
