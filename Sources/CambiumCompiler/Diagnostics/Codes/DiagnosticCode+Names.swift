// 3xx: names
extension DiagnosticCode {
    static let aboutNames = [
        notAnIdentifier, duplicateName, reservedName, shadowedProperty, renamedInSwift, longName,
    ]

    static let notAnIdentifier = DiagnosticCode(
        301, isWarningInXcode: true, title: "The name is no identifier",
        meaning: """
            Names become Swift types and properties, tables and columns. A name is a letter, \
            followed by letters, digits and underscores; letters of every script will do. A \
            leading underscore is kept for columns of the system.
            """,
        remedy: """
            Choose another name. For another word in the store use the value of an enumeration's \
            case; a label for people belongs into the program.
            """,
        wrong: .product(#"<attribute name="sale price" type="double"/>"#),
        right: .product(#"<attribute name="salePrice" type="double"/>"#))

    static let duplicateName = DiagnosticCode(
        302, isWarningInXcode: true, title: "The name is there already",
        meaning: """
            Two things of one kind have the same name, or names that differ only in case, which \
            SQLite does not tell apart.
            """,
        remedy: "Rename or delete one of them.",
        wrong: .product(
            #"<attribute name="sku" type="string"/>"#,
            #"<attribute name="SKU" type="string"/>"#),
        right: .product(
            #"<attribute name="sku" type="string"/>"#,
            #"<attribute name="barcode" type="string"/>"#))

    static let reservedName = DiagnosticCode(
        303, title: "The name belongs to the runtime",
        meaning: """
            Generated classes inherit from ManagedObject. A property that has the name of one of \
            its members, or an entity that has the name of a type that generated code uses, \
            would not compile.
            """,
        remedy: """
            Choose another name. In the next version of a model that has shipped, rename it with \
            renamedFrom, and the data stays.
            """,
        wrong: .product(#"<attribute name="description" type="string"/>"#),
        right: .product(#"<attribute name="summary" type="string"/>"#))

    static let shadowedProperty = DiagnosticCode(
        304, isWarningInXcode: true, title: "An inherited property is declared again",
        meaning: """
            An entity has all properties of its parents. One that is declared again would be a \
            second column and a second Swift property of the same name.
            """,
        remedy: "Delete the second declaration, or give it a name of its own.",
        wrong: """
            <entity name="Named" abstract="true">
              <attribute name="label" type="string"/>
            </entity>
            <entity name="Tag" parent="Named">
              <attribute name="label" type="string"/>
            </entity>
            """,
        right: """
            <entity name="Named" abstract="true">
              <attribute name="label" type="string"/>
            </entity>
            <entity name="Tag" parent="Named"/>
            """)

    static let renamedInSwift = DiagnosticCode(
        306, .warning, title: "The name is another one in Swift",
        meaning: """
            A model of Xcode has a property or class whose name the runtime or Swift has \
            already, or a fetch request whose name is no identifier, such as 'New this week'. The \
            store and expressions keep a property's name; generated code uses the other one that \
            the message says.
            """,
        remedy: """
            Nothing, if that is right. Otherwise rename the property in the next version of the \
            model, or the request in this one.
            """,
        wrong: .words(
            "A property objectID in a model of Xcode"),
        right: .words(
            "A property externalID"))

    static let longName = DiagnosticCode(
        307, .warning, title: "A column has a very long name",
        meaning: """
            Names of more than 63 bytes are cut off by some databases and tools, and two of them \
            could become one.
            """,
        remedy: """
            Choose a shorter name; the column of a part of a composite has the names of all that \
            it is in.
            """,
        wrong: .words(
            "An attribute with a name of 70 letters"),
        right: .words(
            "An attribute with a name of 20 letters"))
}
