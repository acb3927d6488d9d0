import CambiumSQL

extension StoreMaintenance {
    /// Makes sure that no step of code is needed, which only the program itself has.
    ///
    /// - Throws: ``MigrationError`` where one is, or where the program cannot open the store;
    ///   `SQLiteError`.
    package func requireNoCode() throws {
        guard runner.code.isEmpty else { return }
        let report = try status()
        guard !report.codeSteps.isEmpty else { return }
        throw MigrationError.codeIsMissing(steps: report.codeSteps)
    }
}
