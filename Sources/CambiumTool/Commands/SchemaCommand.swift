import CambiumAuthoring
import CambiumCompiler
import Foundation

/// `cambium schema`: the schema with which editors complete and check models.
enum SchemaCommand: Command {
    static let name = "schema"
    static let summary = "Write the XML schema for completion in editors"
    static let usage = "MODEL [--output FILE]"
    static let details = """
        Writes \(ModelSchema.fileName) beside the bundle. With this file an editor completes
        elements and attributes, explains them, and marks unknown ones. Only 'cambium check' finds
        other mistakes, such as a name that does not exist.

        VS Code, with the extension XML by Red Hat, finds the file by .vscode/settings.json:

            "xml.fileAssociations": [
                { "pattern": "**/*.cambium/*.xml", "systemId": "\(ModelSchema.fileName)" }
            ]

        systemId is the path of the file, relative to the open folder. Other editors, and VS Code
        without settings, find the file by an attribute of the model:

            <model xmlns="\(Vocabulary.namespace)" …
                   xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                   xsi:schemaLocation="\(Vocabulary.namespace) ../\(ModelSchema.fileName)">

        If the file is in the folder of a target, add it to exclude: in Package.swift. Write it
        again after an update of Cambium.

            cambium schema Shop.cambium
            cambium schema Shop.cambium --output cambium-model-1.xsd
        """
    static let options = [
        Option(
            "--output", "FILE",
            "the file to write (default: \(ModelSchema.fileName) beside MODEL; - prints)")
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
