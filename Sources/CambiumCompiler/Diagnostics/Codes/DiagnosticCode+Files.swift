// 1xx: files, bundles and settings
extension DiagnosticCode {
    static let aboutFiles = [
        malformed, notUTF8, documentType, processingInstruction, limitExceeded, bundleLayout,
        foreignFile, skippedVersion, binaryModel, invalidSettings, unknownXcodeName, xcodeMeaning,
        malformedLock, incompleteLock,
    ]

    static let malformed = DiagnosticCode(
        101, title: "The file is not well-formed XML",
        meaning: """
            The XML cannot be read beyond this place: a tag is not closed or closes another one, \
            a quote is missing, or a sign stands in a text that has a meaning in XML.
            """,
        remedy: """
            Put the tag or quote right. In texts and values write &lt; for <, &gt; for > and \
            &amp; for &, or put a long text between <![CDATA[ and ]]>.
            """,
        wrong: .product(
            #"<attribute name="stock" type="int32"/>"#,
            #"<rule name="few">stock < 100</rule>"#),
        right: .product(
            #"<attribute name="stock" type="int32"/>"#,
            #"<rule name="few">stock &lt; 100</rule>"#))

    static let notUTF8 = DiagnosticCode(
        102, title: "The file is not UTF-8",
        meaning: """
            A model is UTF-8, whatever its XML declaration says, so that it means the same on \
            every machine.
            """,
        remedy: "Save the file in UTF-8; every editor can.",
        wrong: .words(
            "A file in UTF-16 or Latin-1"),
        right: .words(
            "The same file, saved as UTF-8"))

    static let documentType = DiagnosticCode(
        103, title: "A document type is not allowed",
        meaning: """
            A document type can name files to read and define text that grows without end. A \
            model needs neither, so it may have none.
            """,
        remedy: """
            Delete the <!DOCTYPE …>. For completion in an editor use the schema that comes with \
            the package.
            """,
        wrong: .file(
            """
            <!DOCTYPE model>
            <model xmlns="urn:cambium:model:1" name="Shop" version="1">
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

    static let processingInstruction = DiagnosticCode(
        104, title: "A processing instruction is not allowed",
        meaning: """
            Instructions for other programs, <?name …?>, mean nothing in a model; one would be \
            skipped in silence.
            """,
        remedy: "Delete it, or make a comment of it: <!-- … -->.",
        wrong: """
            <?sort by-name?>
            <entity name="Product">
              <attribute name="sku" type="string"/>
            </entity>
            """,
        right: """
            <!-- sorted by name -->
            <entity name="Product">
              <attribute name="sku" type="string"/>
            </entity>
            """)

    static let limitExceeded = DiagnosticCode(
        105, title: "The file exceeds a limit",
        meaning: """
            Limits keep a damaged or hostile file from taking all memory: 4 MiB a file, 200,000 \
            elements, 32 levels, 64 attributes an element, 64 KiB a value, 255 bytes a name. The \
            greatest of some hundred real models has 96 KB and 932 elements.
            """,
        remedy: """
            Make the file smaller. If a real model needs more, the limit is wrong: please report \
            it.
            """,
        wrong: .words(
            "An entity with a name of 300 letters"),
        right: .words(
            "An entity with a name of 30 letters"))

    package static let bundleLayout = DiagnosticCode(
        106, title: "The bundle cannot be read",
        meaning: """
            A model is a folder Name.cambium with a file for each version, such as 1.xml and \
            2.xml; Xcode has Name.xcdatamodeld. The folder or a file in it is missing, is \
            something else, cannot be read, or is a link that leads out of the bundle.
            """,
        remedy: """
            Check the path. `swift package cambium new Shop` makes a bundle with a first version.
            """,
        wrong: .words(
            "Shop.cambium/ without a file in it"),
        right: .words(
            "Shop.cambium/1.xml"))

    static let foreignFile = DiagnosticCode(
        107, .warning, title: "A file in the bundle is no version",
        meaning: """
            Only files whose name ends in .xml are versions of the model. The other is ignored, \
            which is right for notes and wrong for a version whose name was misspelt.
            """,
        remedy: "Move the file out of the bundle, or give it the ending .xml.",
        wrong: .words(
            """
            Shop.cambium/1.xml
            Shop.cambium/2.xm
            """),
        right: .words(
            """
            Shop.cambium/1.xml
            Shop.cambium/2.xml
            """))

    static let skippedVersion = DiagnosticCode(
        108, .warning, title: "A version is left out",
        meaning: """
            A bundle of Xcode holds a version that is not compiled: it comes after the current one, \
            it is in the binary form that Xcode 3 wrote, or it has no file contents. Stores of it \
            cannot be migrated.
            """,
        remedy: """
            If it was shipped, make it part of the order: name the versions in cambium.json, or save \
            the model again with a current Xcode, which writes XML.
            """,
        wrong: .words("Shop.xcdatamodeld whose current version is 2 of 1, 2 and 3"),
        right: .words("The same with version 3 as the current one"))

    static let binaryModel = DiagnosticCode(
        109, title: "The model is in the binary form of Xcode 3",
        meaning: """
            Old versions of Xcode kept a model as an archive named elements. It is no XML, and its \
            form was never published.
            """,
        remedy: "Open the model in a current Xcode, change something and save it: that writes XML.",
        wrong: .words("Shop.xcdatamodel/elements"),
        right: .words("Shop.xcdatamodel/contents"))

    static let invalidSettings = DiagnosticCode(
        110, title: "The settings of a bundle are wrong",
        meaning: """
            The file cambium.json beside a bundle says what its format has no words for: the access \
            level, code generation, the order of versions. It is no JSON, or says something that \
            means nothing.
            """,
        remedy: "Correct what the message names.",
        wrong: .words(#"{ "access": "open" }"#),
        right: .words(#"{ "access": "public" }"#))

    static let unknownXcodeName = DiagnosticCode(
        111, .warning, title: "Something in Xcode's model is not known",
        meaning: """
            Xcode adds words to its format now and then. This one is not known here; it is ignored, \
            and kept where the model is converted.
            """,
        remedy: "If it matters for the data, please report it. Otherwise there is nothing to do.",
        wrong: .words("An XML attribute that a newer Xcode wrote"),
        right: .words("The same attribute, once Cambium knows it"))

    static let xcodeMeaning = DiagnosticCode(
        112, .warning, title: "Something in Xcode's model means something else here",
        meaning: """
            Core Data allows what cannot be kept as it is: a transformable needs a class of the \
            program, No Action leaves links that lead nowhere, an attribute may have no type. The \
            message says what it becomes.
            """,
        remedy: """
            Nothing, if that is right. Otherwise say what is meant in the attribute's user info, \
            such as the key cambium.class for a transformable.
            """,
        wrong: .words("A transformable attribute"),
        right: .words("A transformable attribute with the user info cambium.class = [String]"))

    static let malformedLock = DiagnosticCode(
        113, title: "The lock cannot be read",
        meaning: """
            The file cambium.lock in the bundle remembers the versions that have shipped. It is not \
            as `cambium freeze` writes it, or a part of it is lost, most often after a merge of two \
            branches. A version that the lock has lost would be taken for one that never shipped.
            """,
        remedy: """
            Take the file from version control. After a merge keep the lines of both branches, and \
            let the last line, `end 3`, say how many versions there are.
            """,
        wrong: .words("cambium.lock with the marks of an unfinished merge"),
        right: .words("cambium.lock with a line for each frozen version"))

    static let incompleteLock = DiagnosticCode(
        114, .warning, title: "The lock has lost what it says of a version",
        meaning: """
            The lines of cambium.lock that start with = - and + say what a version was when it \
            shipped. The two hashes above them decide whether it has changed since, so that nothing \
            goes wrong without the lines; but then nobody can tell what has changed. A merge of two \
            branches that have both frozen a version loses them too.
            """,
        remedy: """
            Take the file from version control. After a merge let `swift package cambium freeze --through 3` write \
            it anew, with the name of the last version that has shipped.
            """,
        wrong: .words("cambium.lock in which a line was deleted"),
        right: .words("cambium.lock as `cambium freeze` has written it"))
}
