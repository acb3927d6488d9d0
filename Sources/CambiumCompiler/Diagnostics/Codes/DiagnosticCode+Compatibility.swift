// LQ5xx and LQ8xx: programs of other versions, and suppressions
extension DiagnosticCode {
    static let aboutCompatibility = [sameHash, unknownCase, unusedSuppression, invalidSuppression]

    static let sameHash = DiagnosticCode(
        10_501, .warning, title: "A store looks the same to the older program",
        meaning: """
            A store knows its version by a hash of its tables. Limits, rules and values are no \
            part of it: where a step changes nothing else, a program of the older version (an \
            extension that is still running, an older device) opens the new store as its own, \
            takes the conditions out, and writes what the new version does not allow. When the \
            newer program comes back, the step runs again: a fill that looks at the old value \
            changes it twice.
            """,
        remedy: """
            Write a hashModifier, another one than before, at the entity: the older program then \
            says that it cannot open the store.
            """,
        before: product(#"<attribute name="price" type="double"/>"#),
        wrong: """
            <entity name="Product">
              <attribute name="price" type="double"/>
            </entity>
            <migration from="1">
              <fill entity="Product" attribute="price" with="price * 1.19"/>
            </migration>
            """,
        right: """
            <entity name="Product" hashModifier="2">
              <attribute name="price" type="double"/>
            </entity>
            <migration from="1">
              <fill entity="Product" attribute="price" with="price * 1.19"/>
            </migration>
            """)

    static let unknownCase = DiagnosticCode(
        10_502, .warning, title: "The older program cannot read a new case",
        meaning: """
            A store knows its version by a hash of its tables, and the cases of an enumeration \
            are no part of it. Where a step changes nothing else, a program of the older version \
            opens the new store as its own, and fails to read objects with the new case.
            """,
        remedy: """
            Write a hashModifier, another one than before, at the entity that has the \
            enumeration: the older program then says that it cannot open the store.
            """,
        before: """
            <enum name="Kind"><case name="book"/></enum>
            <entity name="Product">
              <attribute name="kind" type="Kind"/>
            </entity>
            """,
        after: """
            <enum name="Kind"><case name="book"/><case name="toy"/></enum>
            """,
        wrong: product(#"<attribute name="kind" type="Kind"/>"#),
        right: """
            <entity name="Product" hashModifier="2">
              <attribute name="kind" type="Kind"/>
            </entity>
            """)

    static let unusedSuppression = DiagnosticCode(
        10_801, .warning, about: .suppression, title: "A suppression suppresses nothing",
        meaning: """
            There is no finding with the code in the element that the suppression is in. It was \
            put right, or belonged to an older step, and the suppression would hide the next \
            one.
            """,
        remedy: "Remove the suppression.",
        wrong: """
            <entity name="Product">
              <attribute name="isOpen" type="bool">
                <suppress code="CM407" reason="not asked yet"/>
              </attribute>
            </entity>
            """,
        right: """
            <entity name="Product">
              <attribute name="isOpen" type="bool" optional="true">
                <suppress code="CM407" reason="not asked yet"/>
              </attribute>
            </entity>
            """)

    static let invalidSuppression = DiagnosticCode(
        10_802, about: .suppression, title: "A suppression is not complete",
        meaning: """
            A suppression names the code of a warning and the reason why the warning is right to \
            be ignored here. Errors, and findings about suppressions themselves, cannot be \
            suppressed.
            """,
        remedy: "Write the code that stands in brackets after the finding, and a reason.",
        wrong: """
            <entity name="Product">
              <attribute name="isOpen" type="bool" optional="true">
                <suppress code="CM407" reason=" "/>
              </attribute>
            </entity>
            """,
        right: """
            <entity name="Product">
              <attribute name="isOpen" type="bool" optional="true">
                <suppress code="CM407" reason="not asked yet"/>
              </attribute>
            </entity>
            """)
}
