// 2xx: the structure of the XML
extension DiagnosticCode {
    static let aboutStructure = [
        unknownElement, unknownXMLAttribute, missingXMLAttribute, wrongRoot, notSupportedYet,
        invalidWord, unexpectedText, versionMismatch, nameMismatch,
    ]

    static let unknownElement = DiagnosticCode(
        201, title: "There is no such element here",
        meaning: """
            The language has no element of this name, or not in this place. Nothing is skipped \
            in silence: what is not understood is an error.
            """,
        remedy: """
            Correct the name; the note names the nearest one that is possible. What other tools \
            need can stand in a namespace of its own.
            """,
        wrong: .product(#"<atribute name="sku" type="string"/>"#),
        right: .product(#"<attribute name="sku" type="string"/>"#))

    static let unknownXMLAttribute = DiagnosticCode(
        202, title: "There is no such XML attribute here",
        meaning: """
            The element has no XML attribute of this name. It would otherwise be ignored, and \
            the model would not be what its author thinks.
            """,
        remedy: "Correct the name; the note names the nearest one that is possible.",
        wrong: .product(#"<attribute name="sku" type="string" optionel="true"/>"#),
        right: .product(#"<attribute name="sku" type="string" optional="true"/>"#))

    static let missingXMLAttribute = DiagnosticCode(
        203, isWarningInXcode: true, title: "A necessary XML attribute is missing",
        meaning: """
            The element means nothing without it: an attribute needs a name and a type, a \
            relationship needs to say where it leads.
            """,
        remedy: "Add the XML attribute that the message names.",
        wrong: .product(#"<attribute name="sku"/>"#),
        right: .product(#"<attribute name="sku" type="string"/>"#))

    package static let wrongRoot = DiagnosticCode(
        204, title: "The file does not start with <model>",
        meaning: """
            The outermost element is <model> in the namespace urn:cambium:model:1. The namespace \
            says which language the file is written in.
            """,
        remedy: #"Start the file with <model xmlns="urn:cambium:model:1" name="…" version="…">."#,
        wrong: .file(
            """
            <model name="Shop" version="1">
              <entity name="Product">
                <attribute name="sku" type="string"/>
              </entity>
            </model>
            """),
        right: .file(
            """
            <model xmlns="urn:cambium:model:1" name="Shop" version="1">
              <entity name="Product">
                <attribute name="sku" type="string"/>
              </entity>
            </model>
            """))

    static let notSupportedYet = DiagnosticCode(
        205, title: "This part of the language is not there yet",
        meaning: """
            The language has it, and this version of the compiler cannot do it yet. It says so \
            instead of leaving it out.
            """,
        remedy: """
            Leave it out of the model for now, or use a version of Cambium that has it; the \
            change log says which.
            """,
        wrong: .words(
            "A part of the language that the message names"),
        right: .words(
            "The model without it"))

    static let invalidWord = DiagnosticCode(
        206, isWarningInXcode: true, title: "The value is not one of those possible",
        meaning: """
            The XML attribute takes one of a few words or a number in a range, and this is \
            neither. Flags are true or false.
            """,
        remedy: "Write one of the values that the note names.",
        wrong: .product(#"<attribute name="sku" type="string" optional="yes"/>"#),
        right: .product(#"<attribute name="sku" type="string" optional="true"/>"#))

    static let unexpectedText = DiagnosticCode(
        207, title: "Text stands where none means anything",
        meaning: """
            Only <rule> and <fetch> have a text, their condition. Text in other places is most \
            often a comment without its signs, or a line that lost its tag.
            """,
        remedy: "Make a comment of it or delete it.",
        wrong: """
            <entity name="Product">
              the number on the label
              <attribute name="sku" type="string"/>
            </entity>
            """,
        right: .product(
            #"<!-- the number on the label -->"#,
            #"<attribute name="sku" type="string"/>"#))

    static let versionMismatch = DiagnosticCode(
        208, title: "The version is not that of the file",
        meaning: """
            The file 2.xml holds version 2. Where they differ, a file was copied for a new \
            version and one of the two was not changed.
            """,
        remedy: "Write the name of the file, without .xml, into the version.",
        wrong: .file(
            """
            <model xmlns="urn:cambium:model:1" name="Shop" version="2">
              <entity name="Product">
                <attribute name="sku" type="string"/>
              </entity>
            </model>
            """),
        right: .file(
            """
            <model xmlns="urn:cambium:model:1" name="Shop" version="1">
              <entity name="Product">
                <attribute name="sku" type="string"/>
              </entity>
            </model>
            """))

    static let nameMismatch = DiagnosticCode(
        209, title: "The name is not that of the bundle",
        meaning: """
            The folder Shop.cambium holds the model Shop. Generated code and the store use the \
            name, so there is only one.
            """,
        remedy: """
            Write the name of the folder, without its ending, into the model, or rename the \
            folder.
            """,
        wrong: .file(
            """
            <model xmlns="urn:cambium:model:1" name="Store" version="1">
              <entity name="Product">
                <attribute name="sku" type="string"/>
              </entity>
            </model>
            """),
        right: .file(
            """
            <model xmlns="urn:cambium:model:1" name="Shop" version="1">
              <entity name="Product">
                <attribute name="sku" type="string"/>
              </entity>
            </model>
            """))
}
