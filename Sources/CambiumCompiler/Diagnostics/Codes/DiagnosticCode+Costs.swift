// LQ3xx and LQ4xx: what costs, and where a store differs from what one expects
extension DiagnosticCode {
    static let aboutCosts = [
        needlessRebuild, rebuiltData, indexInUse, costlyPattern, floatingUnique, inventedMoment,
    ]

    static let needlessRebuild = DiagnosticCode(
        10_301, .warning, title: "A table is rebuilt for what its default says",
        meaning: """
            A column with a default is added without a row being written: SQLite notes the value \
            once, and every row has it. A fill writes every row again, which takes time and twice \
            the room; one that says the same as the default does so for nothing.
            """,
        remedy: "Remove the fill.",
        before: product(),
        after: product(
            #"<attribute name="sku" type="string"/>"#,
            #"<attribute name="stock" type="int32" default="0"/>"#),
        wrong: migration(#"<fill entity="Product" attribute="stock" with="0"/>"#))

    static let rebuiltData = DiagnosticCode(
        10_302, .warning, title: "A table with large data is rebuilt",
        meaning: """
            Some changes need every row to be written again, and with it everything in the row. \
            Where maxLength says that this may be a lot (more than 16 KB), the migration takes as long \
            as copying it, and as much room again.
            """,
        remedy: """
            Keep such data in files (storage="external") or in an entity of its own, or do without \
            the change. swift package cambium diff says what makes it necessary.
            """,
        wrong: .versions(
            """
            <entity name="Photo">
              <attribute name="image" type="data" maxLength="5000000"/>
              <attribute name="caption" type="string" optional="true"/>
            </entity>
            """,
            """
            <entity name="Photo">
              <attribute name="image" type="data" maxLength="5000000"/>
            </entity>
            <migration from="1">
              <drop entity="Photo" property="caption" reason="never shown"/>
            </migration>
            """),
        right: .versions(
            """
            <entity name="Photo">
              <attribute name="image" type="data" maxLength="5000000" storage="external"/>
              <attribute name="caption" type="string" optional="true"/>
            </entity>
            """,
            """
            <entity name="Photo">
              <attribute name="image" type="data" maxLength="5000000" storage="external"/>
            </entity>
            <migration from="1">
              <drop entity="Photo" property="caption" reason="never shown"/>
            </migration>
            """))

    static let indexInUse = DiagnosticCode(
        10_303, .warning, title: "An index that a request uses is gone",
        meaning: """
            A named request finds, or sorts, by what the index began with, and no other index \
            does. It gives the same result as before and goes through the whole table for it.
            """,
        remedy: "Keep the index, or remove the request if nobody uses it.",
        before: """
            <entity name="Product">
              <attribute name="title" type="string"/>
              <attribute name="price" type="int32"/>
              <index by="price"/>
              <fetch name="cheap" sort="title"><parameter name="limit"/>price &lt; $limit</fetch>
            </entity>
            """,
        wrong: """
            <entity name="Product">
              <attribute name="title" type="string"/>
              <attribute name="price" type="int32"/>
              <fetch name="cheap" sort="title"><parameter name="limit"/>price &lt; $limit</fetch>
            </entity>
            """,
        right: """
            <entity name="Product">
              <attribute name="title" type="string"/>
              <attribute name="price" type="int32"/>
              <index by="price, title"/>
              <fetch name="cheap" sort="title"><parameter name="limit"/>price &lt; $limit</fetch>
            </entity>
            """)

    static let costlyPattern = DiagnosticCode(
        10_304, .warning, about: .version, title: "A pattern cannot be matched in linear time",
        meaning: """
            Most patterns are matched in time that grows with the length of the text. With \
            back-references, look-ahead, atomic groups or \\X ways have to be tried one after the \
            other, and a text can be made for which there are too many. The match is given up \
            then, and the save or the fetch fails with an error that names the pattern.
            """,
        remedy: """
            Write the pattern without them, or split it into several rules. Possessive repetitions \
            of single characters, such as [a-z]++, are matched in linear time too.
            """,
        wrong: """
            <entity name="User">
              <attribute name="password" type="string" pattern="(?=.*[0-9]).{8,}"/>
            </entity>
            """,
        right: """
            <entity name="User">
              <attribute name="password" type="string" minLength="8" pattern=".*[0-9].*"/>
            </entity>
            """)

    static let floatingUnique = DiagnosticCode(
        10_401, .warning, about: .version, title: "A floating-point number is to be unique",
        meaning: """
            Such numbers are compared to the last bit. Two that a person takes for equal, such \
            as 0.3 and 0.1 + 0.2, are two to the store, and both are saved.
            """,
        remedy: "Make it a decimal or a whole number, or leave it out of the constraint.",
        wrong: .product(
            #"<attribute name="weight" type="double"/>"#,
            #"<unique by="weight"/>"#),
        right: .product(
            #"<attribute name="weight" type="decimal" scale="3"/>"#,
            #"<unique by="weight"/>"#))

    static let inventedMoment = DiagnosticCode(
        10_402, .warning, title: "Objects get the moment of the migration as their own",
        meaning: """
            A default of now says when an object was made. Objects that are there get it too, \
            when the store is migrated, and nobody can tell afterwards which of these dates are \
            true.
            """,
        remedy: """
            Make the attribute optional without a default, or fill it with another attribute or \
            with a date that says that it is not known.
            """,
        before: product(),
        after: product(
            #"<attribute name="sku" type="string"/>"#,
            #"<attribute name="created" type="date" default="now"/>"#),
        right: migration(#"<fill entity="Product" attribute="created" with="CAST(0, 'NSDate')"/>"#))
}
