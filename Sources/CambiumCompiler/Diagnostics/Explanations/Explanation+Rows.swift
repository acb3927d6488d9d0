// 7xx: what a new version asks of rows
extension Explanation {
    static let conditionOnRows = Explanation(
        title: "Rows that are there may not meet the new version",
        meaning: """
            A uniqueness constraint or a rule is new, limits are tighter, a type holds fewer values. \
            Nothing says whether the stores in use have rows that do not fit. Such a store is \
            refused when it is opened and stays as it was; of what the store itself cannot check, \
            the object is read, and refused when it is saved next.
            """,
        remedy: """
            Loosen the condition, or fill what it looks at: a fill that looks at the attribute's own \
            value is computed for every row; any other gives a value to rows without one, and puts \
            nothing right. Values that do not fit a type are put right in a version of their own, \
            before the type changes; of what has to be unique only the program knows which object to \
            change. If there can be no such rows, nothing needs to be done: the next version does \
            not warn of it any more.
            """,
        wrong: .versions(
            """
            <entity name="Product">
              <attribute name="stock" type="int32"/>
            </entity>
            """,
            """
            <entity name="Product">
              <attribute name="stock" type="int32" min="0"/>
            </entity>
            """),
        right: .versions(
            """
            <entity name="Product">
              <attribute name="stock" type="int32"/>
            </entity>
            """,
            """
            <entity name="Product">
              <attribute name="stock" type="int32" min="0"/>
            </entity>
            <migration from="1">
              <fill entity="Product" attribute="stock" with="TERNARY(stock &lt; 0, 0, stock)"/>
            </migration>
            """))

    static let removedCase = Explanation(
        title: "A case of an enumeration is gone",
        meaning: """
            The rows of existing stores keep the raw value of a case that the new version does not \
            have. The store opens, but reading such a value is an error, and the object cannot be \
            saved.
            """,
        remedy: """
            Keep the case, or give its raw value to another case. Or give its objects another case, \
            with a fill that looks at the old value: TERNARY(kind IN {'book'}, kind, 'book').
            """,
        wrong: .versions(
            """
            <enum name="Kind"><case name="book"/><case name="toy"/></enum>
            <entity name="Product">
              <attribute name="kind" type="Kind"/>
            </entity>
            """,
            """
            <enum name="Kind"><case name="book"/></enum>
            <entity name="Product">
              <attribute name="kind" type="Kind"/>
            </entity>
            """),
        right: .versions(
            """
            <enum name="Kind"><case name="book"/><case name="toy"/></enum>
            <entity name="Product">
              <attribute name="kind" type="Kind"/>
            </entity>
            """,
            """
            <enum name="Kind"><case name="book"/><case name="plaything" value="toy"/></enum>
            <entity name="Product">
              <attribute name="kind" type="Kind"/>
            </entity>
            """))

    static let idleFill = Explanation(
        title: "A fill changes nothing",
        meaning: """
            The attribute was required before, so every object has a value, and a fill is for \
            objects that have none, unless it looks at the value of before.
            """,
        remedy: """
            Make the value of the old one, drop the attribute's old values as well so that all \
            objects get the new one, or remove the fill.
            """,
        wrong: .versions(
            """
            <entity name="Product">
              <attribute name="price" type="double"/>
            </entity>
            """,
            """
            <entity name="Product">
              <attribute name="price" type="double"/>
            </entity>
            <migration from="1">
              <fill entity="Product" attribute="price" with="9.5"/>
            </migration>
            """),
        right: .versions(
            """
            <entity name="Product">
              <attribute name="price" type="double"/>
            </entity>
            """,
            """
            <entity name="Product">
              <attribute name="price" type="double"/>
            </entity>
            <migration from="1">
              <fill entity="Product" attribute="price" with="price * 1.19"/>
            </migration>
            """))
}
