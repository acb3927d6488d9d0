// What a fill does not do
extension DiagnosticCode {
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

    static let idleFill = DiagnosticCode(
        712, .warning, title: "A fill changes nothing",
        meaning: """
            The attribute was required before, so every object has a value, and a fill is for \
            objects that have none, unless it looks at the value of before.
            """,
        remedy: """
            Make the value of the old one, drop the attribute's old values as well so that all \
            objects get the new one, or remove the fill.
            """,
        before: product(#"<attribute name="price" type="double"/>"#),
        wrong: """
            <entity name="Product">
              <attribute name="price" type="double"/>
            </entity>
            <migration from="1">
              <fill entity="Product" attribute="price" with="9.5"/>
            </migration>
            """,
        right: """
            <entity name="Product">
              <attribute name="price" type="double" hashModifier="2"/>
            </entity>
            <migration from="1">
              <fill entity="Product" attribute="price" with="price * 1.19"/>
            </migration>
            """)
}
