import CambiumCompiler

// Codes 6xx: constraints, indexes and expressions
extension Explanation {
    static let ofExpressions: [Explanation] = [
        Explanation(
            .unknownProperty, title: "The entity has no such property",
            meaning: """
                A list of properties (unique, index, sort) names a property that neither the \
                entity nor its parents declare.
                """,
            remedy: "Correct the name; the note names the nearest one.",
            wrong: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<unique by="sky"/>"#),
            right: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<unique by="sku"/>"#)),
        Explanation(
            .unsuitableProperty, title: "The property cannot be used for this",
            meaning: """
                A unique constraint, an index, and an order in a <migration> use columns of the \
                entity's own table. A transient attribute is not in the store, and a to-many \
                relationship has no column in this table.
                """,
            remedy: "Remove the property from the list, or make it a stored one.",
            wrong: .product(
                #"<attribute name="rank" type="int32" transient="true" default="0"/>"#,
                #"<index by="rank"/>"#),
            right: .product(
                #"<attribute name="rank" type="int32" default="0"/>"#,
                #"<index by="rank"/>"#)),
        Explanation(
            .invalidExpression, title: "The expression is wrong",
            meaning: """
                An expression cannot be read, names something that does not exist, or compares \
                values that cannot be equal. The error is at the position of the wrong word. \
                Expressions have the syntax of Core Data's predicates. They are checked against \
                the model, so a mistake is an error of the build and not a crash of the program.
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
                #"<rule name="inStock">stock &gt; 0</rule>"#)),
        Explanation(
            .derivedMayBeNil, title: "A required derived attribute can be nil",
            meaning: """
                The expression can have no value: it uses something that is optional, or \
                is the average of no values.
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
                """),
        Explanation(
            .limitWithoutOrder, title: "A limit without an order",
            meaning: """
                A request with a limit and without an order returns any of the matching objects. \
                The next time it may return others.
                """,
            remedy: #"Declare the order: sort="…"."#,
            wrong: .product(
                #"<attribute name="price" type="double"/>"#,
                #"<fetch name="top" limit="10"/>"#),
            right: .product(
                #"<attribute name="price" type="double"/>"#,
                #"<fetch name="top" limit="10" sort="price descending"/>"#)),
        Explanation(
            .unusedParameter, title: "A parameter is not used",
            meaning: """
                The request has a parameter that its condition does not mention: a caller has to \
                supply a value without any effect.
                """,
            remedy: "Use the parameter, or remove it.",
            wrong: .product(
                #"<attribute name="price" type="double"/>"#,
                #"<fetch name="cheap"><parameter name="limit" type="double"/>price &lt; 10</fetch>"#
            ),
            right: """
                <entity name="Product">
                  <attribute name="price" type="double"/>
                  <fetch name="cheap"><parameter name="limit" type="double"/>price &lt; $limit</fetch>
                </entity>
                """),
        Explanation(
            .rtreeKeptBinary, title: "An R-tree index is kept as an ordinary one",
            meaning: """
                An R-tree finds ranges in several dimensions. The store has an ordinary index over \
                the same properties instead. A search uses the first of them.
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
                """),
        Explanation(
            .coveredIndex, title: "Another index covers the same",
            meaning: """
                An index over a and b also serves searches by a alone, and a unique constraint is \
                an index too. The second index only makes every save slower.
                """,
            remedy: "Remove the index.",
            wrong: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<unique by="sku"/>"#,
                #"<index by="sku"/>"#),
            right: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<unique by="sku"/>"#)),
        Explanation(
            .uselessIndex, title: "The index has no use",
            meaning: """
                An index over a property with two or three values hardly narrows a search, and \
                makes every save slower.
                """,
            remedy: """
                Remove the index. If searches combine isOpen with another property, index the \
                other property, with the condition where="isOpen == TRUE".
                """,
            wrong: .product(
                #"<attribute name="isOpen" type="bool" default="true"/>"#,
                #"<index by="isOpen"/>"#),
            right: .product(#"<attribute name="isOpen" type="bool" default="true"/>"#)),
        Explanation(
            .leakyConstraint, title: "A unique set has an optional or a codable property",
            meaning: """
                A constraint has several properties, and one of them is optional. In a constraint, \
                nil never equals nil. If two objects have nil in the optional property, the \
                constraint does not compare their other values, so these may be equal. There is no \
                warning for a constraint of a single optional property: its values are unique, and \
                any number of objects may have nil.

                Or a property is codable. The store compares the bytes of codable values, and the \
                bytes of equal values may differ.
                """,
            remedy: """
                Make the optional property required, or leave it out of the constraint. Instead of \
                a codable property, name an attribute that identifies its values.
                """,
            wrong: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="shop" type="string" optional="true"/>"#,
                #"<unique by="sku, shop"/>"#),
            right: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="shop" type="string"/>"#,
                #"<unique by="sku, shop"/>"#)),
        Explanation(
            .constantCondition, title: "A condition is always true or always false",
            meaning: """
                The condition has the same value for every object. A rule then has no effect, or \
                rejects every object. An index contains all rows, or none.
                """,
            remedy: "Correct the condition, or remove it.",
            wrong: .product(
                #"<attribute name="stock" type="int32" min="0"/>"#,
                #"<rule name="counted">stock &gt;= 0 OR TRUEPREDICATE</rule>"#),
            right: .product(
                #"<attribute name="stock" type="int32" min="0"/>"#,
                #"<rule name="few">stock != 13</rule>"#)),
        Explanation(
            .impliedRule, title: "A rule repeats the limits",
            meaning: """
                The limits of the attribute reject every value that the rule rejects, so such a \
                value is checked and reported twice.
                """,
            remedy: "Remove the rule, or the limit.",
            wrong: .product(
                #"<attribute name="stock" type="int32" min="0"/>"#,
                #"<rule name="counted">stock &gt;= 0</rule>"#),
            right: .product(#"<attribute name="stock" type="int32" min="0"/>"#)),
        Explanation(
            .distantDerivation, title: "A derived attribute reads distant objects",
            meaning: """
                The derived attribute is computed from objects that are more than one relationship \
                away. Every save of such an object has to search for all derived attributes that \
                are computed from it.
                """,
            remedy: """
                Declare a derived attribute of the entity between the two, and compute this \
                attribute from it.
                """,
            wrong: .words(
                "A derived attribute of Item from order.customer.name"),
            right: .words(
                "One of Order from customer.name, and one of Item from that")),
        Explanation(
            .inertOption, title: "An option of a request has no effect here",
            meaning: """
                The model keeps the option, but it has no effect on a fetch. Only dictionaries can \
                be distinct, and the objects of a fetched property are always read.
                """,
            remedy: "Remove it.",
            wrong: .product(
                #"<attribute name="stock" type="int32"/>"#,
                #"<fetch name="rare" distinct="true">stock &lt; 3</fetch>"#),
            right: .product(
                #"<attribute name="stock" type="int32"/>"#,
                #"<fetch name="rare" distinct="true" result="dictionaries">stock &lt; 3</fetch>"#)),
        Explanation(
            .skippedIndex, title: "An index of an Xcode model is left out",
            meaning: """
                An expression of the index needs more than the columns of a row and SQLite's own \
                functions, such as upper case beyond ASCII. The store does not have this index. \
                Fetches return the same results, but are slower.
                """,
            remedy: "Index a derived attribute that has the value.",
            wrong: .words("A fetch index over the expression uppercase:(title)"),
            right: .words(
                "A derived attribute from uppercase:(title), and a fetch index over it")),
        Explanation(
            .unlimitedIndex, title: "An index has values of any length",
            meaning: """
                PostgreSQL rejects a row if its entry in an index has more than 2,704 bytes. A \
                unique constraint is an index too. Whether a value fits is known only when it is \
                saved: the server compresses long values first. SQLite has no such limit, so \
                `cambium check` says this only with --engine postgres.
                """,
            remedy: """
                Limit the length of the texts in the index to 670 characters in all, because a \
                character may take 4 bytes. Or remove the text from the index.
                """,
            wrong: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<unique by="sku"/>"#),
            right: .product(
                #"<attribute name="sku" type="string" maxLength="100"/>"#,
                #"<unique by="sku"/>"#)),
    ]
}
