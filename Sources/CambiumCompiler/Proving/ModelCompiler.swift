import CambiumMigration
import CambiumModel
import CambiumSQL

/// The whole way from a bundle to what the tool writes: read, check, plan, prove, emit.
package struct ModelCompiler {
    private var diagnostics: [Diagnostic] = []

    /// Compiles a bundle.
    ///
    /// Everything that is wrong with any version is in the diagnostics, and there is a result only
    /// where none is an error. Cost grows with the number of versions: each step from one to the
    /// next is run on an SQLite in memory.
    package static func compile(_ path: String) -> Compilation {
        var compiler = ModelCompiler()
        let bundle = compiler.compile(path)
        return Compilation(
            bundle: compiler.diagnostics.hasErrors ? nil : bundle,
            diagnostics: compiler.diagnostics.sortedByPlace())
    }

    private mutating func compile(_ path: String) -> CompiledBundle? {
        let (bundle, readingDiagnostics) = BundleReader.read(path)
        diagnostics = readingDiagnostics
        var versions: [CheckedModel] = []
        var previous: CheckedModel?
        for (index, parsed) in bundle.versions.enumerated() {
            let previousVersion = index > 0 ? bundle.versions[index - 1].version : nil
            let (model, found) = ModelChecker.check(
                parsed, bundleName: bundle.name, previousVersion: previousVersion,
                previous: previous)
            // What is legal and will hurt can only be put right in the version that has not
            // shipped: the current one.
            let isCurrent = index == bundle.versions.count - 1
            diagnostics += found.filter { $0.isError || isCurrent }
            previous = model
            if let model { versions.append(model) }
        }
        guard !diagnostics.hasErrors, let current = versions.last, proveSchema(of: current) else {
            return nil
        }
        let migrations = zip(versions, versions.dropFirst()).compactMap { old, new in
            plan(from: old, to: new)
        }
        return CompiledBundle(
            name: bundle.name, versions: versions,
            schema: Schema(of: current.model).statements, migrations: migrations)
    }

    /// Makes a store of the version in memory; this also finds an SQLite that is too old.
    private mutating func proveSchema(of version: CheckedModel) -> Bool {
        do {
            _ = try MigrationProver.makeStore(of: version.model, seed: 0)
            return true
        } catch {
            diagnostics.append(
                Diagnostic(
                    .unprovenMigration, "The schema fails on SQLite: \(Self.line(of: error))",
                    at: version.position(ofEntity: nil)))
            return false
        }
    }

    /// Errors quote SQL, which has many lines.
    private static func line(of error: any Error) -> String {
        "\(error)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Plans and proves a step; its problems are reported where the author can solve them.
    private mutating func plan(from old: CheckedModel, to new: CheckedModel) -> Migration? {
        do throws(MigrationProblems) {
            let migration = try Migration(from: old.model, to: new.model)
            return prove(migration, from: old, to: new) ? migration : nil
        } catch {
            for problem in error.problems { report(problem, from: old, to: new) }
            return nil
        }
    }

    private mutating func prove(
        _ migration: Migration, from old: CheckedModel, to new: CheckedModel
    ) -> Bool {
        do {
            try MigrationProver.prove(from: old.model, to: new.model, migration: migration)
            return true
        } catch {
            diagnostics.append(
                Diagnostic(
                    .unprovenMigration,
                    "The migration from version \(old.model.version) fails on SQLite: \(Self.line(of: error))",
                    at: new.position(ofEntity: nil)))
            return false
        }
    }

    /// At the entity or property in the newer file; what is only in the older one is reported at
    /// the newer file's migration, which is where the fix goes.
    private mutating func report(
        _ problem: MigrationProblem, from old: CheckedModel, to new: CheckedModel
    ) {
        let position =
            switch problem.side {
            case .new: new.position(ofEntity: problem.entity, property: problem.property)
            case .old: new.position(ofSuccessorOf: problem.entity)
            }
        // A fix for the migration comes in its element, which may be there already.
        let start = "<migration from=\"\(old.model.version)\">"
        let hasMigration = !new.parsed.root.children(named: "migration").isEmpty
        let notes = problem.fixes.map { fix in
            let isInElement = hasMigration && fix.hasPrefix(start) && fix.hasSuffix("</migration>")
            return isInElement
                ? "Write in <migration>: \(fix.dropFirst(start.count).dropLast(12))"
                : "Write \(fix)"
        }
        diagnostics.append(
            Diagnostic(.undecidedMigration, problem.message, at: position, notes: notes))
    }
}

/// What compiling a bundle gives.
package struct Compilation: Sendable {
    /// The result, or nil where there are errors.
    package let bundle: CompiledBundle?
    /// Everything to tell the author, by place.
    package let diagnostics: [Diagnostic]
}

/// A bundle without errors.
package struct CompiledBundle: Sendable {
    /// The model's name.
    package let name: String
    /// All versions, oldest first; there is at least one.
    package let versions: [CheckedModel]
    /// The statements that make an empty store of the current version.
    package let schema: [String]
    /// The steps from each version to the next.
    package let migrations: [Migration]

    /// One line that says what was found to be right.
    package var summary: String {
        let steps = migrations.count
        let proof =
            steps == 0
            ? "" : "; \(steps) migration\(steps == 1 ? "" : "s") proven on SQLite"
        return "\(name), version \(versions.last?.model.version ?? ""): no errors\(proof)"
    }
}
