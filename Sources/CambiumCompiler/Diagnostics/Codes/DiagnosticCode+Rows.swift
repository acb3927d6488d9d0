// LQ2xx: what fails on rows that are there
extension DiagnosticCode {
    static let aboutRows = [
        uniqueOnRows, limitsOnRows, ruleOnRows, narrowedType, countsOnRows, abstractOnRows,
        presenceOnRows, externalOnRows, emptyFill,
    ]

    static let uniqueOnRows = DiagnosticCode(
        10_201, .warning, title: "Rows that are there may not be unique",
        meaning: """
            A uniqueness constraint is new, and nothing says whether the stores in use have \
            objects that share the values. Or objects become equal as those that they lead to \
            become one. Such a store is refused when it is opened, and stays as it was.
            """,
        remedy: """
            Say in the migration which of several equal objects stays: <deduplicate>, after those of \
            the objects that they lead to. Or add to the constraint what tells them apart. If there can be no such objects, say so in a \
            suppression; the next version does not warn of it any more.
            """,
        before: product(),
        after: product(
            #"<attribute name="sku" type="string"/>"#,
            #"<unique by="sku"/>"#),
        right: migration(
            #"<deduplicate entity="Product" by="sku" reason="the same product, entered twice"/>"#))

    static let limitsOnRows = DiagnosticCode(
        10_202, .warning, title: "Values that are there may be beyond the new limits",
        meaning: """
            Limits are tighter. A store with a value beyond them is refused when it is opened \
            and stays as it was; of what the store itself cannot check, the object is read, and \
            refused when it is saved next.
            """,
        remedy: """
            Loosen the limits, or put the values right: a fill that looks at the attribute's own \
            value is computed for every row; any other gives a value to rows without one, and \
            puts nothing right. If there can be no such values, say so in a suppression.
            """,
        before: product(#"<attribute name="stock" type="int32"/>"#),
        after: product(
            #"<attribute name="stock" type="int32" min="0"/>"#,
            #"<attribute name="note" type="string" optional="true"/>"#),
        right: migration(
            #"<fill entity="Product" attribute="stock" with="TERNARY(stock &lt; 0, 0, stock)"/>"#))

    static let ruleOnRows = DiagnosticCode(
        10_203, .warning, title: "Objects that are there may not meet the new rule",
        meaning: """
            A rule is new, or asks more than before. A store with an object that does not meet \
            it is refused when it is opened; where only a save can check the rule, the object is \
            read and cannot be saved.
            """,
        remedy: """
            Fill what the rule looks at, from its old value. If there can be no such objects, \
            say so in a suppression.
            """,
        before: product(#"<attribute name="price" type="int32"/>"#),
        after: product(
            #"<attribute name="price" type="int32"/>"#,
            #"<attribute name="note" type="string" optional="true"/>"#,
            #"<rule name="priced">price &gt; 0</rule>"#),
        right: migration(
            #"<fill entity="Product" attribute="price" with="TERNARY(price &gt; 0, price, 1)"/>"#))

    static let narrowedType = DiagnosticCode(
        10_204, .warning, title: "Values that are there may not fit their new type",
        meaning: """
            The new type holds fewer values than the old one. No value is cut or rounded: a \
            store with one that does not fit is refused, and stays as it was.
            """,
        remedy: """
            Put the values right in a version of their own, before the type changes, with a fill \
            that looks at the old value. If there can be no such values, say so in a \
            suppression.
            """,
        before: product(#"<attribute name="stock" type="int64"/>"#),
        wrong: product(#"<attribute name="stock" type="int16"/>"#),
        right: """
            <entity name="Product">
              <attribute name="stock" type="int64"/>
              <attribute name="note" type="string" optional="true"/>
            </entity>
            <migration from="1">
              <fill entity="Product" attribute="stock" with="TERNARY(stock &gt; 30000, 30000, stock)"/>
            </migration>
            """)

    static let countsOnRows = DiagnosticCode(
        10_205, .warning, title: "A relationship may have more or fewer objects than it may now",
        meaning: """
            How many objects a relationship leads to is checked when an object is saved. One \
            that leads to more than the new version allows, or to fewer, is read and cannot be \
            saved.
            """,
        remedy: "Widen min and max. If there can be no such objects, say so in a suppression.",
        before: album(),
        wrong: album(
            #" max="20""#, #"<attribute name="note" type="string" optional="true"/>"#),
        right: album("", #"<attribute name="note" type="string" optional="true"/>"#))

    static let abstractOnRows = DiagnosticCode(
        10_206, .warning, title: "An entity that may have objects becomes abstract",
        meaning: """
            An abstract entity has no objects of its own. A store that has some is refused when \
            it is opened, and stays as it was.
            """,
        remedy: """
            Leave the entity as it was, or let the program turn its objects into others before \
            this version ships. If there can be none, say so in a suppression.
            """,
        before: """
            <entity name="Product">
              <attribute name="sku" type="string"/>
            </entity>
            <entity name="Book" parent="Product"/>
            """,
        wrong: """
            <entity name="Product" abstract="true">
              <attribute name="sku" type="string"/>
              <attribute name="note" type="string" optional="true"/>
            </entity>
            <entity name="Book" parent="Product"/>
            """,
        right: """
            <entity name="Product">
              <attribute name="sku" type="string"/>
              <attribute name="note" type="string" optional="true"/>
            </entity>
            <entity name="Book" parent="Product"/>
            """)

    static let presenceOnRows = DiagnosticCode(
        10_207, .warning, title: "Values that are there may lack a part that is required now",
        meaning: """
            A value with several parts has all parts that are required, or is not there. One \
            that lacks a part which was optional before makes the store refused when it is \
            opened. A required part that is new, and that nothing fills, is an error: no value has \
            it.
            """,
        remedy: """
            Leave the part optional, or fill it: the values that are there get it, and where there \
            is no value, there is none afterwards. If there can be no such values, say so in a \
            suppression.
            """,
        before: """
            <composite name="Address">
              <attribute name="city" type="string"/>
              <attribute name="street" type="string" optional="true"/>
            </composite>
            <entity name="Product">
              <attribute name="origin" type="Address" optional="true"/>
            </entity>
            """,
        wrong: """
            <composite name="Address">
              <attribute name="city" type="string"/>
              <attribute name="street" type="string"/>
            </composite>
            <entity name="Product">
              <attribute name="origin" type="Address" optional="true"/>
              <attribute name="note" type="string" optional="true"/>
            </entity>
            """,
        right: """
            <composite name="Address">
              <attribute name="city" type="string"/>
              <attribute name="street" type="string" optional="true"/>
            </composite>
            <entity name="Product">
              <attribute name="origin" type="Address" optional="true"/>
              <attribute name="note" type="string" optional="true"/>
            </entity>
            """)

    static let externalOnRows = DiagnosticCode(
        10_208, .warning, title: "Values that are there may lie in files",
        meaning: """
            The attribute kept large values in files, and is to keep all of them in the row. \
            What lies in a file cannot come back: a store with such a value is refused when it \
            is opened, and stays as it was.
            """,
        remedy: """
            Leave storage as it was. If no value was ever larger than 100 KB, say so in a \
            suppression.
            """,
        before: product(
            #"<attribute name="photo" type="data" optional="true" storage="external"/>"#),
        wrong: product(#"<attribute name="photo" type="data" optional="true"/>"#),
        right: product(
            #"<attribute name="photo" type="data" optional="true" storage="external"/>"#,
            #"<attribute name="note" type="string" optional="true"/>"#))

    static let emptyFill = DiagnosticCode(
        10_209, .warning, title: "A fill has no value for some objects",
        meaning: """
            The attribute is required, and its fill looks at one that may be nil, divides by one that \
            may be 0, or says nil in a branch. A store with an object where that is so has no value to \
            put there: it is refused when it is opened, and stays as it was.
            """,
        remedy: """
            Say what such objects get: TERNARY(note == nil, 'none', note), TERNARY(count == 0, 0, sum / \
            count). A lower limit of more than 0 says that there is none to divide by; else, if there \
            can be no such object, say so in a suppression.
            """,
        before: product(#"<attribute name="note" type="string" optional="true"/>"#),
        after: product(
            #"<attribute name="note" type="string" optional="true"/>"#,
            #"<attribute name="label" type="string"/>"#),
        wrong: migration(#"<fill entity="Product" attribute="label" with="note"/>"#),
        right: """
            <migration from="1">
              <fill entity="Product" attribute="label" with="TERNARY(note == nil, 'none', note)"/>
            </migration>
            """)
}
