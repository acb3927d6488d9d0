// 1xx: bundles of Xcode, and settings
extension DiagnosticCode {
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
}
