// 6xx: constraints and expressions
extension DiagnosticCode {
    static let unknownProperty = DiagnosticCode(
        601, isWarningInXcode: true, title: "The entity has no such property",
        meaning: """
            A list of properties (unique, index, sort) names one that neither the entity nor its \
            parents declare.
            """,
        remedy: "Correct the name; the note names the nearest one.",
        wrong: .product(
            #"<attribute name="sku" type="string"/>"#,
            #"<unique by="sky"/>"#),
        right: .product(
            #"<attribute name="sku" type="string"/>"#,
            #"<unique by="sku"/>"#))

    static let unsuitableProperty = DiagnosticCode(
        602, isWarningInXcode: true, title: "The property cannot be used for this",
        meaning: """
            A unique set, an index and a stored order are made of columns of the entity's own \
            table. A transient attribute is not in the store, and a to-many relationship has no \
            column there.
            """,
        remedy: "Leave the property out, or store it.",
        wrong: .product(
            #"<attribute name="rank" type="int32" transient="true" default="0"/>"#,
            #"<index by="rank"/>"#),
        right: .product(
            #"<attribute name="rank" type="int32" default="0"/>"#,
            #"<index by="rank"/>"#))

    static let invalidExpression = DiagnosticCode(
        603, isWarningInXcode: true, title: "The expression is wrong",
        meaning: """
            A condition or value cannot be read, names something that is not there, or compares \
            things that cannot be equal. The place is that of the word in question. Expressions \
            are Core Data's predicates, checked against the model: a mistake is an error now and \
            not a crash later.
            """,
        remedy: """
            Correct the name or the comparison. Strings stand in single quotes; in XML, < is \
            written &lt; and & is written &amp;.
            """,
        wrong: .product(
            #"<attribute name="stock" type="int32"/>"#,
            #"<rule name="inStock">stok &gt; 0</rule>"#),
        right: .product(
            #"<attribute name="stock" type="int32"/>"#,
            #"<rule name="inStock">stock &gt; 0</rule>"#))

    static let derivedMayBeNil = DiagnosticCode(
        604, title: "A required derived attribute can be nil",
        meaning: """
            The expression can have no value: it leads through something that is optional, or \
            takes the mean of nothing.
            """,
        remedy: #"Write optional="true"."#,
        wrong: .product(
            #"<attribute name="title" type="string" optional="true"/>"#,
            #"<derived name="search" type="string" expression="canonical:(title)"/>"#),
        right: """
            <entity name="Product">
              <attribute name="title" type="string" optional="true"/>
              <derived name="search" type="string" optional="true" expression="canonical:(title)"/>
            </entity>
            """)

    static let limitWithoutOrder = DiagnosticCode(
        605, .warning, title: "A limit without an order",
        meaning: """
            A request with a limit and without an order gives some of the objects it could find, \
            and others the next time.
            """,
        remedy: #"Say in which order: sort="…"."#,
        wrong: .product(
            #"<attribute name="price" type="double"/>"#,
            #"<fetch name="top" limit="10"/>"#),
        right: .product(
            #"<attribute name="price" type="double"/>"#,
            #"<fetch name="top" limit="10" sort="price descending"/>"#))

    static let unusedParameter = DiagnosticCode(
        606, .warning, title: "A parameter is not used",
        meaning: """
            The request has a parameter that its condition does not mention: who calls it has to \
            give a value that changes nothing.
            """,
        remedy: "Use it, or remove it.",
        wrong: .product(
            #"<attribute name="price" type="double"/>"#,
            #"<fetch name="cheap"><parameter name="limit" type="double"/>price &lt; 10</fetch>"#),
        right: """
            <entity name="Product">
              <attribute name="price" type="double"/>
              <fetch name="cheap"><parameter name="limit" type="double"/>price &lt; $limit</fetch>
            </entity>
            """)

    static let rtreeKeptBinary = DiagnosticCode(
        607, .warning, title: "An R-tree index is kept as an ordinary one",
        meaning: """
            An R-tree finds ranges in several dimensions. The store keeps an ordinary index over \
            the same properties instead, which is searched by the first of them.
            """,
        remedy: """
            Write type="binary", or nothing, with the property that narrows the search most at \
            the front.
            """,
        wrong: """
            <entity name="Place">
              <attribute name="longitude" type="double"/>
              <attribute name="latitude" type="double"/>
              <index by="longitude, latitude" type="rtree"/>
            </entity>
            """,
        right: """
            <entity name="Place">
              <attribute name="longitude" type="double"/>
              <attribute name="latitude" type="double"/>
              <index by="longitude, latitude"/>
            </entity>
            """)
}
