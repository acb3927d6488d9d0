// 5xx: entities and relationships that will hurt later
extension DiagnosticCode {
    static let aboutUnwiseEntities = [
        cascadeBothWays, cascadeIntoShared, denyForever, emptyEntity, childlessAbstract,
        singularToMany,
    ]

    static let cascadeBothWays = DiagnosticCode(
        511, .warning, title: "Both ends of a relationship cascade",
        meaning: """
            Deleting one object deletes its neighbours, these delete theirs, and everything that \
            hangs together is gone.
            """,
        remedy: "Cascade from the whole to its parts only, and nullify or deny on the way back.",
        wrong: """
            <entity name="Order">
              <relationship name="items" to="Item" inverse="order" many="true" onDelete="cascade"/>
            </entity>
            <entity name="Item">
              <relationship name="order" to="Order" inverse="items" optional="true" onDelete="cascade"/>
            </entity>
            """,
        right: """
            <entity name="Order">
              <relationship name="items" to="Item" inverse="order" many="true" onDelete="cascade"/>
            </entity>
            <entity name="Item">
              <relationship name="order" to="Order" inverse="items" optional="true"/>
            </entity>
            """)

    static let cascadeIntoShared = DiagnosticCode(
        512, .warning, title: "Deleting an object deletes what others have too",
        meaning: """
            The object at the other end belongs to many. With the first of them that is deleted, \
            it is gone for all.
            """,
        remedy: """
            Write onDelete="nullify". Deleting what nobody has any more is a choice of the \
            program.
            """,
        wrong: """
            <entity name="Product">
              <relationship name="category" to="Category" inverse="products" optional="true"
                            onDelete="cascade"/>
            </entity>
            <entity name="Category">
              <relationship name="products" to="Product" inverse="category" many="true"/>
            </entity>
            """,
        right: .shop(
            #"<relationship name="category" to="Category" inverse="products" optional="true"/>"#,
            #"<relationship name="products" to="Product" inverse="category" many="true"/>"#))

    static let denyForever = DiagnosticCode(
        513, .warning, title: "An object could never be deleted",
        meaning: """
            It is required to have an object at the other end, and may not be deleted as long as \
            it has one.
            """,
        remedy: #"Write onDelete="nullify" or "cascade", or make the relationship optional."#,
        wrong: """
            <entity name="Product">
              <relationship name="category" to="Category" inverse="products" onDelete="deny"/>
            </entity>
            <entity name="Category">
              <relationship name="products" to="Product" inverse="category"
                            many="true" onDelete="cascade"/>
            </entity>
            """,
        right: """
            <entity name="Product">
              <relationship name="category" to="Category" inverse="products"/>
            </entity>
            <entity name="Category">
              <relationship name="products" to="Product" inverse="category"
                            many="true" onDelete="cascade"/>
            </entity>
            """)

    static let emptyEntity = DiagnosticCode(
        514, .warning, title: "An entity has nothing to store",
        meaning: """
            It has no attribute and no relationship, of its own or inherited, so its objects \
            cannot be told apart.
            """,
        remedy: "Declare what it stores, or remove it.",
        wrong: #"<entity name="Product"/>"#,
        right: .product(#"<attribute name="sku" type="string"/>"#))

    static let childlessAbstract = DiagnosticCode(
        515, .warning, title: "An abstract entity has no sub-entities",
        meaning: """
            There are no objects of an abstract entity itself, and nothing inherits from this \
            one.
            """,
        remedy: #"Remove abstract="true", or the entity."#,
        wrong: """
            <entity name="Named" abstract="true">
              <attribute name="label" type="string"/>
            </entity>
            """,
        right: """
            <entity name="Named" abstract="true">
              <attribute name="label" type="string"/>
            </entity>
            <entity name="Tag" parent="Named"/>
            """)

    static let singularToMany = DiagnosticCode(
        516, .warning, title: "A to-many relationship leads to at most one object",
        meaning: "That is what a to-one relationship is, and it is faster and easier to use.",
        remedy: #"Remove many="true" and max="1"."#,
        wrong: """
            <entity name="Product">
              <relationship name="category" to="Category" inverse="products" optional="true"/>
            </entity>
            <entity name="Category">
              <relationship name="products" to="Product" inverse="category"
                            many="true" max="1"/>
            </entity>
            """,
        right: .shop(
            #"<relationship name="category" to="Category" inverse="products" optional="true"/>"#,
            #"<relationship name="products" to="Product" inverse="category" many="true"/>"#))
}
