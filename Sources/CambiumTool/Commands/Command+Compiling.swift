import CambiumCompiler

// Arguments of the commands for people.

extension Command {
    /// Compiles a bundle and reports the findings; nil if it has errors.
    ///
    /// - Parameter warns: Whether findings that are not errors are reported too.
    static func compile(
        _ path: String, checksLock: Bool = true, warns: Bool = true, _ arguments: Arguments,
        _ console: Console
    ) throws(ToolError) -> CompiledBundle? {
        let declarations = try Declarations.file(arguments)
        return try report(path, warns: warns, arguments, console) {
            ModelCompiler.compile(
                path, declarations: declarations, checksLock: checksLock, verdicts: $0)
        }.bundle
    }
}

extension Arguments {
    /// The value of an option with a fixed set of values.
    func word<Word>(_ option: String, _ type: Word.Type) throws(ToolError) -> Word?
    where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
        guard let value = value(option) else { return nil }
        if let word = Word(rawValue: value) { return word }
        let all = Word.allCases.map(\.rawValue)
        throw usage(
            "'\(value)' is not a valid value for \(option). Possible values: "
                + all.joined(separator: ", "))
    }

    /// The models of the command, at least one.
    func bundles() throws(ToolError) -> [String] {
        guard !words.isEmpty else {
            throw usage(
                "'\(command.name)' needs a model: a folder Name.cambium or "
                    + "Name.xcdatamodeld.")
        }
        return words
    }
}

extension ExitCode {
    /// The meaning of the code, for the help.
    var meaning: String {
        switch self {
        case .fine: "success"
        case .modelHasErrors:
            "a model has errors, or is not compiled (check --package); a store has problems"
                + " (check-store)"
        case .usage: "the command line is wrong, or a store cannot be checked (check-store)"
        case .modelHasWarnings: "a model has warnings (with --strict)"
        case .file:
            "a file cannot be read or written, Graphviz is missing, or the tool has another format"
        case .differs: "a file is not formatted (with --check)"
        case .storeIsBehind: "a store has to be migrated (migrate status)"
        case .storeRefused:
            "a store cannot be opened, migrated or imported, or another program changed it"
        case .incomplete:
            "a store was imported with losses, or not to the requested version"
        case .provenWithoutRows:
            "a migration was proven without two rows of an entity (migrate verify, freeze)"
        case .generatedCodeIsStale: "generated Swift differs from the models (generate --check)"
        }
    }
}
