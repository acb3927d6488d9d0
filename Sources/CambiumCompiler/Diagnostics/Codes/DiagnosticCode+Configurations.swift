// 5xx: what is stored, and where
extension DiagnosticCode {
    static let transientInverse = DiagnosticCode(
        508, isWarningInXcode: true, title: "One end of a relationship is transient",
        meaning: "The two ends of a relationship are one link. It is in the store or it is not.",
        remedy: #"Write transient="true" at both ends or at none."#,
        wrong: """
            <entity name="Product">
              <relationship name="rival" to="Product" inverse="rivals" optional="true"
                            transient="true"/>
              <relationship name="rivals" to="Product" inverse="rival" many="true"/>
            </entity>
            """,
        right: """
            <entity name="Product">
              <relationship name="rival" to="Product" inverse="rivals" optional="true"
                            transient="true"/>
              <relationship name="rivals" to="Product" inverse="rival" many="true" transient="true"/>
            </entity>
            """)

    static let separatedEntities = DiagnosticCode(
        509, title: "A configuration separates what belongs together",
        meaning: """
            A configuration can have a store of its own. A relationship that leads out of it, or \
            a parent that is not in it, would need a link from one file to another.
            """,
        remedy: """
            Name the other entity too, or leave this one out. What leads from store to store is \
            an attribute with an identifier and a fetched property.
            """,
        wrong: """
            <entity name="Named" abstract="true"/>
            <entity name="Tag" parent="Named">
              <attribute name="label" type="string"/>
            </entity>
            <configuration name="Words" entities="Tag"/>
            """,
        right: """
            <entity name="Named" abstract="true"/>
            <entity name="Tag" parent="Named">
              <attribute name="label" type="string"/>
            </entity>
            <configuration name="Words" entities="Tag Named"/>
            """)

    static let separatedInXcode = DiagnosticCode(
        510, .warning, title: "A configuration of Xcode separates what belongs together",
        meaning: """
            A relationship leads out of a configuration, or a parent is not in it. Core Data \
            allows this in the model and fails when the configuration gets a store of its own.
            """,
        remedy: """
            Nothing, as long as one store holds the whole model. Otherwise add the other entity \
            to the configuration.
            """,
        wrong: .words(
            "A configuration with Tag and without its parent"),
        right: .words(
            "A configuration with both"))
}
