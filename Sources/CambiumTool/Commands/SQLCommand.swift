import CambiumAuthoring
import CambiumCompiler

/// `cambium sql`: the statements that the runtime executes, for review.
enum SQLCommand: Command {
    static let name = "sql"
    static let summary = "Print the SQL of the schema and of the migrations"
    static let usage = """
        MODEL [--version V | --from A --to B | --grants U [--schema S]] [--engine E]
                           [--output FOLDER]
        """
    static let details = """
        Prints the statements that the runtime executes: the schema of the current version and every
        migration, or the schema of one version, or the steps between two versions. With --engine
        postgres, the statements are those of stores on PostgreSQL, in the schema cambium. With
        --output, each part is a file, to be reviewed with the model:

            cambium sql Sources/App/Shop.cambium --from 2 --to 3

        With --grants, the command prints the statements for the owner of a store on a server. They
        let a user read and write the store, but not create, migrate or repair it:

            cambium sql Sources/App/Shop.cambium --engine postgres --grants web --schema shop
        """
    static let options =
        [
            Option("--version", "V", "the schema of one version"),
            Option("--from", "A", "the source version of a migration"),
            Option("--to", "B", "the destination version of a migration"),
            Option("--grants", "U", "the user of a server who may read and write the store"),
            Option("--schema", "S", "the schema of the store, for --grants (default: cambium)"),
            Option("--engine", "E", "the engine of the stores: sqlite (default) or postgres"),
            Option("--output", "FOLDER", "write files into this folder instead of printing"),
        ] + Declarations.options

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let path = try arguments.bundle()
        let (from, to) = (arguments.value("--from"), arguments.value("--to"))
        guard (from == nil) == (to == nil) else {
            throw arguments.usage("--from and --to belong together.")
        }
        let engine = try arguments.word("--engine", CheckedEngine.self) ?? .sqlite
        let (user, schema) = (arguments.value("--grants"), arguments.value("--schema"))
        guard user == nil || (engine == .postgres && from == nil) else {
            throw arguments.usage("--grants belongs to --engine postgres alone.")
        }
        guard schema == nil || user != nil else {
            throw arguments.usage("--schema belongs to --grants.")
        }
        guard let bundle = try compile(path, arguments, console) else { return .modelHasErrors }
        var files: [(name: String, contents: String)]
        if let user {
            guard let text = bundle.grantsSQL(in: schema, to: user) else {
                throw arguments.usage("The server takes names of 1 to 63 bytes.")
            }
            files = [("\(bundle.name)-grants.sql", text)]
        } else if let from, let to {
            guard let text = try bundle.migrationSQL(from: from, to: to, on: engine) else {
                throw arguments.usage("There is no migration from '\(from)' to '\(to)'.")
            }
            files = [("\(bundle.name)-\(from)-to-\(to).sql", text)]
        } else if let version = arguments.value("--version") {
            guard let text = bundle.schemaSQL(version: version, on: engine) else {
                throw arguments.usage("There is no version '\(version)'.")
            }
            files = [("\(bundle.name)-\(version).sql", text)]
        } else {
            files = try bundle.sqlFiles(on: engine)
        }
        if let folder = arguments.value("--output") {
            for file in files { try Files.write(file.contents, to: "\(folder)/\(file.name)") }
        } else {
            try console.write(files.map(\.contents).joined(separator: "\n"))
        }
        return .fine
    }
}
