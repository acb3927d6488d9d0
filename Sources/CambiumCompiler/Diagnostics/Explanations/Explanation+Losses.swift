// LQ1xx: what loses data, or what it means
extension Explanation {
    static let droppedTwin = Explanation(
        title: "What is dropped comes back under nearly the same name",
        meaning: """
            The migration drops something with its data, and the new version has something alike \
            under a name that is nearly the same, or an entity with the same attributes. That is \
            what a rename looks like that was taken for a drop: the values are gone for good.
            """,
        remedy: """
            Write renamedFrom instead of the drop. If it is another thing, suppress the finding \
            and say what the difference is.
            """,
        wrong: .versions(
            """
            <entity name="Product">
              <attribute name="colour" type="string" optional="true"/>
            </entity>
            """,
            """
            <entity name="Product">
              <attribute name="color" type="string" optional="true"/>
            </entity>
            <migration from="1">
              <drop entity="Product" property="colour" reason="misspelt"/>
            </migration>
            """),
        right: .versions(
            """
            <entity name="Product">
              <attribute name="colour" type="string" optional="true"/>
            </entity>
            """,
            """
            <entity name="Product">
              <attribute name="color" type="string" optional="true" renamedFrom="colour"/>
            </entity>
            """))

    static let lostOrder = Explanation(
        title: "A list loses its order",
        meaning: """
            The relationship was ordered, and is no longer. The places of its objects are \
            dropped without a word from the author: a store that has been migrated cannot tell \
            what came first.
            """,
        remedy: """
            Leave it ordered. If nobody has ever given it an order that counts, suppress the \
            finding and say so.
            """,
        wrong: .versions(
            """
            <entity name="Album">
              <relationship name="tracks" to="Track" inverse="album" many="true" ordered="true"/>
            </entity>
            <entity name="Track">
              <attribute name="title" type="string"/>
              <relationship name="album" to="Album" inverse="tracks" optional="true"/>
            </entity>
            """,
            """
            <entity name="Album">
              <relationship name="tracks" to="Track" inverse="album" many="true"/>
            </entity>
            <entity name="Track">
              <attribute name="title" type="string"/>
              <relationship name="album" to="Album" inverse="tracks" optional="true"/>
            </entity>
            """),
        right: .versions(
            """
            <entity name="Album">
              <relationship name="tracks" to="Track" inverse="album" many="true" ordered="true"/>
            </entity>
            <entity name="Track">
              <attribute name="title" type="string"/>
              <relationship name="album" to="Album" inverse="tracks" optional="true"/>
            </entity>
            """,
            """
            <entity name="Album">
              <relationship name="tracks" to="Track" inverse="album" many="true" ordered="true"/>
            </entity>
            <entity name="Track">
              <attribute name="title" type="string"/>
              <relationship name="album" to="Album" inverse="tracks" optional="true"/>
            </entity>
            <entity name="Product">
              <attribute name="sku" type="string"/>
            </entity>
            """))

    static let removedCase = Explanation(
        title: "A case of an enumeration is gone",
        meaning: """
            The rows of existing stores keep the raw value of a case that the new version does \
            not have. The store opens, but reading such a value is an error, and the object \
            cannot be saved.
            """,
        remedy: """
            Keep the case, or give its raw value to another case. Or give its objects another \
            case, with a fill that looks at the old value: TERNARY(kind IN {'book'}, kind, \
            'book').
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
              <attribute name="note" type="string" optional="true"/>
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
              <attribute name="note" type="string" optional="true"/>
            </entity>
            """))

    static let reusedCase = Explanation(
        title: "A raw value means something else than before",
        meaning: """
            An older version had a case with this raw value and dropped it. Rows that still have \
            the value, which nobody could read in between, come to be objects of the new case.
            """,
        remedy: """
            Give the new case a raw value that no version had.
            """,
        wrong: .words(
            "Version 1 has toy, version 2 has not, version 3 has game with the raw value toy"),
        right: .words("Version 3 has game with the raw value game"))
}
