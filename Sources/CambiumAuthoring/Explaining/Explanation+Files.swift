import CambiumCompiler

// Codes 1xx to 3xx: files, the structure of the XML, and names
extension Explanation {
    static let ofFiles: [Explanation] = [
        Explanation(
            .malformed, title: "The file is not well-formed XML",
            meaning: """
                The XML cannot be read beyond this place. A tag is not closed or closes another \
                one, a quote is missing, or a text contains a character with a meaning in XML.
                """,
            remedy: """
                Correct the tag or quote. In texts and values write &lt; for <, &gt; for > and \
                &amp; for &, or put a long text between <![CDATA[ and ]]>.
                """,
            wrong: .product(
                #"<attribute name="stock" type="int32"/>"#,
                #"<rule name="few">stock < 100</rule>"#),
            right: .product(
                #"<attribute name="stock" type="int32"/>"#,
                #"<rule name="few">stock &lt; 100</rule>"#)),
        Explanation(
            .notUTF8, title: "The file is not UTF-8",
            meaning: """
                A file of a model is UTF-8, whatever its XML declaration says, so that it means \
                the same on every machine.
                """,
            remedy: "Save the file in UTF-8; every editor can.",
            wrong: .words(
                "A file in UTF-16 or Latin-1"),
            right: .words(
                "The same file, saved as UTF-8")),
        Explanation(
            .documentType, title: "A document type is not allowed",
            meaning: """
                A document type can name files to read and define text that grows without end. A \
                model needs neither, so it may have none.
                """,
            remedy: """
                Delete the <!DOCTYPE …>. For completion in an editor use the schema that comes \
                with the package.
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
                """)),
        Explanation(
            .processingInstruction, title: "A processing instruction is not allowed",
            meaning: """
                Instructions for other programs, <?name …?>, have no meaning in a model; one would \
                be ignored silently.
                """,
            remedy: "Delete the instruction, or turn it into a comment: <!-- … -->.",
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
                """),
        Explanation(
            .limitExceeded, title: "The file exceeds a limit",
            meaning: """
                A file of a model may have at most 4 MiB, 200,000 elements, and 32 levels of \
                nested elements. An element may have at most 64 XML attributes, a value 64 KiB, \
                and a name 255 bytes. The limits protect the memory of the build from damaged or \
                hostile files. The largest of some hundred real models has 96 KB and 932 elements.
                """,
            remedy: """
                Make the file smaller. If a real model needs more, the limit is wrong: please \
                report it.
                """,
            wrong: .words(
                "An entity with a name of 300 letters"),
            right: .words(
                "An entity with a name of 30 letters")),
        Explanation(
            .bundleLayout, title: "The bundle cannot be read",
            meaning: """
                A model is a folder Name.cambium with a file for each version, such as 1.xml and \
                2.xml; Xcode has Name.xcdatamodeld. The folder or a file in it is missing, is \
                not a folder or file, cannot be read, or is a link out of the bundle.
                """,
            remedy: """
                Check the path. `swift package cambium new Shop` makes a bundle with a first version.
                """,
            wrong: .words(
                "Shop.cambium/ without a file in it"),
            right: .words(
                "Shop.cambium/1.xml")),
        Explanation(
            .unknownFile, title: "A file in the bundle is not a version",
            meaning: """
                Only files with a name that ends in .xml are versions of the model. The other file \
                is ignored. This is right for notes, and wrong for a version with a misspelled \
                name.
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
                """)),
        Explanation(
            .skippedVersion, title: "A version is not compiled",
            meaning: """
                A bundle of Xcode has a version that is not compiled. This version comes after the \
                current one, is in the binary form of Xcode 3, or has no file with the name \
                contents. Stores of this version cannot be migrated.
                """,
            remedy: """
                If no program with the version was released, do nothing. If the version comes \
                after the current one, make it the current version in Xcode, or list all versions \
                in their order in cambium.json. If the version is in the binary form, open it in a \
                current Xcode, and save it as XML.
                """,
            wrong: .words("Shop.xcdatamodeld whose current version is 2 of 1, 2 and 3"),
            right: .words("The same with version 3 as the current one")),
        Explanation(
            .binaryModel, title: "The model is in the binary form of Xcode 3",
            meaning: """
                Old versions of Xcode kept a model as an archive named elements. It is not XML, \
                and its format was never published.
                """,
            remedy:
                "Open the model in a current Xcode, change something and save it: that writes XML.",
            wrong: .words("Shop.xcdatamodel/elements"),
            right: .words("Shop.xcdatamodel/contents")),
        Explanation(
            .invalidSettings, title: "The settings of a bundle are invalid",
            meaning: """
                The file cambium.json beside a bundle is not JSON, or has an unknown or invalid \
                setting. It has the settings that Xcode's format cannot express: the access level, \
                code generation, the order of versions.
                """,
            remedy: "Correct the named part.",
            wrong: .words(#"{ "access": "open" }"#),
            right: .words(#"{ "access": "public" }"#)),
        Explanation(
            .unknownXcodeName, title: "An unknown part of a model of Xcode",
            meaning: """
                The model has an element or an XML attribute that Cambium does not know, such as \
                one of a newer Xcode. This part has no effect. A conversion of the model keeps the \
                part.
                """,
            remedy: """
                If the element or attribute matters for the data, please report it. Otherwise \
                there is nothing to do.
                """,
            wrong: .words("An XML attribute that a newer Xcode wrote"),
            right: .words("The same attribute, once Cambium knows it")),
        Explanation(
            .xcodeMeaning, title: "A part of a model of Xcode has another meaning here",
            meaning: """
                Core Data allows some things that Cambium does not allow. A transformable may have \
                any class, the delete rule No Action leaves dangling references, and an attribute \
                may have no type. Cambium replaces such a part. The message names the replacement.
                """,
            remedy: """
                If the replacement is right, do nothing. Otherwise declare the meaning in the user \
                info of the attribute, such as the key cambium.class for a transformable.
                """,
            wrong: .words("A transformable attribute"),
            right: .words("A transformable attribute with the user info cambium.class = [String]")),
        Explanation(
            .malformedLock, title: "The lock cannot be read",
            meaning: """
                The file cambium.lock in the bundle has the shipped versions. This file does not \
                have the form that `cambium freeze` writes, or a part of it is missing, most often \
                after a merge of two branches. A version that is missing in the lock would be \
                treated as never shipped.
                """,
            remedy: """
                Take the file from version control. After a merge keep the lines of both branches, \
                and let the last line, `end 3`, say how many versions there are.
                """,
            wrong: .words("cambium.lock with the marks of an unfinished merge"),
            right: .words("cambium.lock with a line for each frozen version")),
        Explanation(
            .incompleteLock, title: "The lock has lost the lines of a version",
            meaning: """
                The lines of cambium.lock that start with = - and + describe a shipped version. \
                The build compares only the two hashes above these lines, so it does not fail if \
                the lines are missing. But if the version changes, the build cannot show the \
                change without these lines. A merge of two branches that have both frozen a \
                version also loses the lines.
                """,
            remedy: """
                Take the file from version control. After a merge, write the file again: run \
                `swift package cambium freeze --through 3`, with the last shipped version instead \
                of 3.
                """,
            wrong: .words("cambium.lock in which a line was deleted"),
            right: .words("cambium.lock as `cambium freeze` has written it")),
        Explanation(
            .unknownElement, title: "Unknown element",
            meaning: """
                The language has no element of this name, or not in this place. Everything unknown \
                is an error.
                """,
            remedy: """
                Correct the name; the note names the nearest one that is possible. Other tools can \
                use a namespace of their own.
                """,
            wrong: .product(#"<atribute name="sku" type="string"/>"#),
            right: .product(#"<attribute name="sku" type="string"/>"#)),
        Explanation(
            .unknownXMLAttribute, title: "Unknown XML attribute",
            meaning: """
                The element has no XML attribute of this name. If the compiler ignored the XML \
                attribute, the model would differ from your intention.
                """,
            remedy: "Correct the name; the note names the nearest one that is possible.",
            wrong: .product(#"<attribute name="sku" type="string" optionel="true"/>"#),
            right: .product(#"<attribute name="sku" type="string" optional="true"/>"#)),
        Explanation(
            .missingXMLAttribute, title: "A required XML attribute is missing",
            meaning: """
                The element needs this XML attribute. For example, an attribute needs a name and a \
                type, and a relationship needs a destination.
                """,
            remedy: "Add the XML attribute that the message names.",
            wrong: .product(#"<attribute name="sku"/>"#),
            right: .product(#"<attribute name="sku" type="string"/>"#)),
        Explanation(
            .wrongRoot, title: "The file does not start with <model>",
            meaning: """
                The outermost element is <model> in the namespace urn:cambium:model:1. The \
                namespace names the language of the file.
                """,
            remedy:
                #"Start the file with <model xmlns="urn:cambium:model:1" name="…" version="…">."#,
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
                """)),
        Explanation(
            .notSupportedYet, title: "This part of the language is not implemented",
            meaning: """
                The model language has this part, but this version of the compiler does not \
                support it yet.
                """,
            remedy: """
                Remove the part from the model, or use a version of Cambium that supports it. The \
                change log names the version.
                """,
            wrong: .words(
                "A part of the language that the message names"),
            right: .words(
                "The model without it")),
        Explanation(
            .invalidWord, title: "The value is not one of the possible ones",
            meaning: """
                The XML attribute takes one of a few words or a number in a range, and this is \
                neither. Flags are true or false.
                """,
            remedy: "Write one of the values that the note names.",
            wrong: .product(#"<attribute name="sku" type="string" optional="yes"/>"#),
            right: .product(#"<attribute name="sku" type="string" optional="true"/>"#)),
        Explanation(
            .unexpectedText, title: "Text is not allowed here",
            meaning: """
                Only <rule> and <fetch> have a text, their condition. Text in other places is most \
                often a comment without <!-- and -->, or a line that lost its tag.
                """,
            remedy: "Turn the text into a comment, or delete it.",
            wrong: """
                <entity name="Product">
                  the number on the label
                  <attribute name="sku" type="string"/>
                </entity>
                """,
            right: .product(
                #"<!-- the number on the label -->"#,
                #"<attribute name="sku" type="string"/>"#)),
        Explanation(
            .versionMismatch, title: "The version is not that of the file",
            meaning: """
                The file 2.xml holds version 2. If they differ, the file was copied for a new \
                version, and one of the two was not changed.
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
                """)),
        Explanation(
            .nameMismatch, title: "The name is not that of the bundle",
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
                """)),
        Explanation(
            .notAnIdentifier, title: "The name is not an identifier",
            meaning: """
                Names become Swift types and properties, tables and columns. A name is a letter, \
                followed by letters, digits and underscores; letters of every script are allowed. \
                A leading underscore is reserved for columns of the system.
                """,
            remedy: """
                Choose another name. To store another word for a case of an enumeration, give the \
                case a value. Labels for people belong in the program.
                """,
            wrong: .product(#"<attribute name="sale price" type="double"/>"#),
            right: .product(#"<attribute name="salePrice" type="double"/>"#)),
        Explanation(
            .duplicateName, title: "The name is already used",
            meaning: """
                Two elements of the same kind have the same name, or names that differ only in \
                case. SQLite does not distinguish such names.
                """,
            remedy: "Rename or delete one of them.",
            wrong: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="SKU" type="string"/>"#),
            right: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="barcode" type="string"/>"#)),
        Explanation(
            .reservedName, title: "The name belongs to the runtime",
            meaning: """
                Generated classes inherit from ManagedObject. Such a class does not compile if a \
                property has the name of a member of ManagedObject, or if an entity has the name \
                of a type that generated code uses.
                """,
            remedy: """
                Choose another name. If the model has shipped, rename the property or entity in \
                the next version, with renamedFrom. The data stays.
                """,
            wrong: .product(#"<attribute name="description" type="string"/>"#),
            right: .product(#"<attribute name="summary" type="string"/>"#)),
        Explanation(
            .shadowedProperty, title: "An inherited property is declared again",
            meaning: """
                An entity has all properties of its parents. A second declaration would make a \
                second column, and a second Swift property of the same name.
                """,
            remedy: "Delete the second declaration, or give it a name of its own.",
            wrong: """
                <entity name="Named" abstract="true">
                  <attribute name="label" type="string"/>
                </entity>
                <entity name="Tag" parent="Named">
                  <attribute name="label" type="string"/>
                </entity>
                """,
            right: """
                <entity name="Named" abstract="true">
                  <attribute name="label" type="string"/>
                </entity>
                <entity name="Tag" parent="Named"/>
                """),
        Explanation(
            .renamedInSwift, title: "The name is different in Swift",
            meaning: """
                A name in a model of Xcode cannot be used in Swift. There are three causes: the \
                name of a property is that of a member of ManagedObject, the name of a class is \
                that of another Swift type, or the name of a fetch request is not a Swift \
                identifier, such as 'New this week'. Generated code uses the name in the message \
                instead. In the store and in expressions, a property keeps its name in the model.
                """,
            remedy: """
                If the name in the message is right, do nothing. Otherwise rename the property in \
                the next version of the model, or the request in the current version.
                """,
            wrong: .words(
                "A property objectID in a model of Xcode"),
            right: .words(
                "A property externalID")),
        Explanation(
            .longName, title: "A column has a very long name",
            meaning: """
                Some databases and tools cut off names of more than 63 bytes. Two long names could \
                then become equal.
                """,
            remedy: """
                Choose a shorter name. The column of a part of a composite begins with the name of \
                the attribute, and the names of the composites around the part.
                """,
            wrong: .words(
                "An attribute with a name of 70 letters"),
            right: .words(
                "An attribute with a name of 20 letters")),
    ]
}
