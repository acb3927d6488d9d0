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
            Fill what is looked at with values that fit, or loosen the condition. If there can be no \
            such rows, nothing needs to be done: the next version does not warn of it any more.
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
            Keep the case, or give its raw value to another case. If no object needs the value, fill \
            the attribute.
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
}
