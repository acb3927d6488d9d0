@_spi(Generated) import CambiumMigration

/// `status | plan | apply | verify | rehearse` for the stores of a program, within the program
/// itself: it has the steps of migrations that no tool can have. Without such steps it does what
/// `cambium migrate` does.
///
/// ```swift
/// @main struct ShopTool {
///     static func main() {
///         var arguments = CommandLine.arguments.dropFirst()
///         guard arguments.popFirst() == "migrate" else { return serve() }
///         let command = MigrationCommand(
///             model: Shop.model, migration: ShopSteps(), name: "shop migrate")
///         exit(command.run(arguments))
///     }
/// }
/// ```
///
/// | exit code | meaning |
/// |---|---|
/// | 0 | all is well |
/// | 1 | a step is not proven |
/// | 2 | the command line is wrong |
/// | 4 | a file cannot be read or written |
/// | 6 | the store has to be migrated (`status`) |
/// | 7 | the store cannot be opened or migrated, or another program has changed it |
/// | 9 | all steps are right, and one was proven without two rows of an entity (`verify`) |
public struct MigrationCommand: Sendable {
    /// Where it writes; its results, and what a person should know besides. The program's own
    /// output by default.
    public var write: @Sendable (String) -> Void = { StandardStream.output.write($0) }
    /// Where it writes errors, and how far it is.
    public var writeError: @Sendable (String) -> Void = { StandardStream.error.write($0) }

    let name: String
    let storePath: String?
    let model: CompiledModel
    let verification: (@Sendable () -> VerifyReport)?

    /// A command for a model in whose migrations the program does steps of its own.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - migration: What the program does in migrations.
    ///   - path: The store's path, where the command line names none.
    ///   - name: How the command is called, for its own help.
    public init<Steps>(
        model: SteppedModel<Steps>, migration: Steps, storeAt path: String? = nil,
        name: String = "migrate"
    ) {
        self.name = name
        storePath = path
        self.model = model.performing(migration)
        verification = { model.verification(of: migration) }
    }

    /// A command for a model whose migrations are SQL alone; `verify` has nothing to add then to
    /// what was proven when the model was compiled.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - path: The store's path, where the command line names none.
    ///   - name: How the command is called, for its own help.
    public init(model: CompiledModel, storeAt path: String? = nil, name: String = "migrate") {
        self.name = name
        storePath = path
        self.model = model
        verification = nil
    }

    /// Not available: a model in whose migrations the program does steps needs them.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public init<Steps>(
        model: SteppedModel<Steps>, storeAt path: String? = nil, name: String = "migrate"
    ) {
        self.init(model: model.withoutSteps, storeAt: path, name: name)
    }

    /// Does what the words on the command line ask for. A migration is undone as a whole where the
    /// task is cancelled.
    ///
    /// - Parameter arguments: The words after the command's own name.
    /// - Returns: What to end the program with, see ``MigrationCommand``.
    public func run(_ arguments: some Sequence<String>) -> Int32 {
        do {
            return try run(Words(arguments, of: self)).rawValue
        } catch let error as Usage {
            guard !error.message.isEmpty else {
                write(usage)
                return Ending.fine.rawValue
            }
            writeError("\(name): error: \(error.message)\n\(usage)")
            return Ending.usage.rawValue
        } catch {
            writeError("\(name): error: \(error)\n")
            return Ending.file.rawValue
        }
    }
}
