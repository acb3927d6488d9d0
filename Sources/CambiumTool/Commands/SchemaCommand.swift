import CambiumAuthoring
import CambiumCompiler
import Foundation

/// `cambium schema`: the schema with which editors complete and check models.
enum SchemaCommand: Command {
    static let name = "schema"
    static let summary = "Write the XML schema from which editors complete and explain"
    static let usage = "MODEL [--output FILE]"
    static let details = """
        Writes \(ModelSchema.fileName) beside the bundle. An editor that knows it offers elements
        and attributes, says what they mean and marks those that do not exist. 'cambium check'
        reports what only the compiler can know, such as whether a name exists.

        VS Code, with the extension XML by Red Hat, finds it by .vscode/settings.json:

            "xml.fileAssociations": [
                { "pattern": "**/*.cambium/*.xml", "systemId": "\(ModelSchema.fileName)" }
            ]

        where systemId is the file's path from the folder that is open. Other editors, and VS Code
        without settings, find it by the model itself:

            <model xmlns="\(Vocabulary.namespace)" …
                   xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                   xsi:schemaLocation="\(Vocabulary.namespace) ../\(ModelSchema.fileName)">

        A target that has the file in its folder names it in exclude: in Package.swift. Write it
        again after an update of Cambium.

            cambium schema Shop.cambium
            cambium schema Shop.cambium --output cambium-model-1.xsd
        """
    static let options = [
        Option(
            "--output", "FILE",
            "where to write (default: \(ModelSchema.fileName) beside MODEL; - prints)")
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.bundle()
        try Files.requireModel(path)
        let bundle = URL(fileURLWithPath: path)
        let beside = bundle.deletingLastPathComponent().appendingPathComponent(ModelSchema.fileName)
        let output = arguments.value("--output") ?? beside.relativePath
        try Files.deliver(ModelSchema.text, to: output, console)
        if output != "-" {
            try console.write(
                "Wrote \(output)\n'cambium help schema' shows how an editor finds it.\n")
        }
        return .fine
    }
}
