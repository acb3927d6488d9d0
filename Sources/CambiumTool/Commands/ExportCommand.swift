import CambiumAuthoring
import CambiumCompiler
import CambiumMigration

/// `cambium export`: the content of a store, as JSON.
enum ExportCommand: Command {
    static let name = "export"
    static let summary = "Write all objects of a store as JSON, to read or to compare"
    static let usage = "STORE --model MODEL [--output FILE]"
    static let details = """
        Writes a line for each object, with its key, its attributes and the keys of its related
        objects:

            {"format":1,
            "model":"Library",
            "version":"1",
            "versionHash":"…",
            "entities":{
            "Author":[
            {"_id":1,"name":"Ada Stone","books":[1,2]}
            ],
            "Book":[
            {"_id":1,"title":"On Trees","year":1987,"author":1},
            …

        Equal stores give equal files: entities are sorted by name, objects by key, and links by
        their order or else by key. Objects of sub-entities are listed with their root entity, each
        with its entity in _entity. No two of these objects have the same key. Transient properties
        are not included. Dates are in ISO 8601, and bytes in Base64. Large values in files are
        included.

        MODEL must contain the version of the store, which need not be the current one. The store is
        not changed, and may be in use. A store on a server, such as
        postgresql://host/database#schema, is first copied to a temporary file.

            cambium export shop.sqlite --model Sources/App/Shop.cambium --output shop.json
        """
    static let options = [
        Option("--model", "MODEL", "the model of the store: Name.cambium or Name.xcdatamodeld"),
        Option("--output", "FILE", "the file to write (default: print)"),
    ]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let argument = try StoreArgument(
            arguments.only("a store: the file of an SQLite database, or a schema on a server"))
        let store = argument.name
        guard let path = arguments.value("--model") else {
            throw arguments.usage("'export' needs --model MODEL, the model that the store is of.")
        }
        try Files.requireModel(path)
        if case .file(let store) = argument.place {
            guard Files.exists(store) else { throw ToolError.file("There is no \(store).") }
            guard !StoreFiles.isFolder(store) else {
                throw ToolError.file("\(store) is a folder; name the store file in it.")
            }
            if let output = arguments.value("--output"), StoreFiles.isPart(output, ofStore: store) {
                throw arguments.usage(
                    "--output would write over \(output), which belongs to the store.")
            }
        }
        let versions = CheckedVersions(of: path)
        do {
            try argument.withFile(among: versions.models, console) { path in
                let exporter = try StoreExporter(fileAt: path, versions: versions.models)
                try Files.stream(
                    to: arguments.value("--output"), of: path, console, exporter.export)
            }
        } catch let error as ToolError {
            throw error
        } catch {
            // A version with errors may be the one.
            console.report(versions.diagnostics)
            throw ToolError.file("\(store) cannot be exported: \(StoreFiles.reason(for: error)).")
        }
        return .fine
    }
}
