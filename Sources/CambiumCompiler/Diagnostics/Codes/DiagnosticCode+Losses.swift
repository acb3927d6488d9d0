// LQ1xx: what loses data, or what it means
extension DiagnosticCode {
    static let aboutLosses = [droppedTwin, lostOrder]

    static let droppedTwin = DiagnosticCode(
        10_101, .warning, title: "What is dropped comes back under nearly the same name",
        meaning: """
            The migration drops something with its data, and the new version has something alike \
            under a name that is nearly the same, or an entity with the same attributes. That is \
            what a rename looks like that was taken for a drop: the values are gone for good.
            """,
        remedy: """
            Write renamedFrom instead of the drop. If it is another thing, suppress the finding \
            and say what the difference is.
            """,
        before: product(#"<attribute name="colour" type="string" optional="true"/>"#),
        wrong: """
            <entity name="Product">
              <attribute name="color" type="string" optional="true"/>
            </entity>
            <migration from="1">
              <drop entity="Product" property="colour" reason="misspelt"/>
            </migration>
            """,
        right: product(
            #"<attribute name="color" type="string" optional="true" renamedFrom="colour"/>"#))

    static let lostOrder = DiagnosticCode(
        10_102, .warning, title: "A list loses its order",
        meaning: """
            The relationship was ordered, and is no longer. The places of its objects are \
            dropped without a word from the author: a store that has been migrated cannot tell \
            what came first.
            """,
        remedy: """
            Leave it ordered. If nobody has ever given it an order that counts, suppress the \
            finding and say so.
            """,
        before: album(#" ordered="true""#), wrong: album(),
        right: album(#" ordered="true""#) + "\n" + product())
}
