import CambiumModel
import CambiumPlan
import CambiumSQL

/// Emits Swift for the program's own migration steps: a protocol with the functions that the
/// program implements, and the rows of the versions before and after the steps.
extension SwiftEmitter {
    /// The protocol's name.
    var stepsProtocol: String {
        names.unused(SwiftText.plainIdentifier(model.name) + "Migration")
    }

    /// Emits the constant that opens stores: a model with the steps that the program supplies.
    func emitSteppedModel(to writer: inout SwiftWriter) {
        writer.doc(
            """
            The model. Opening a store takes a `\(stepsProtocol)` too: what the program itself does \
            in migrations.
            """)
        writer.code(
            "\(modifier)static let model = ",
            .call(
                "\(names.library("SteppedModel"))<any \(stepsProtocol)>",
                [
                    (nil, .text(modelConstant)), ("steps", .text("codeSteps")),
                    ("proofs", .text("stepProofs")),
                ]))
    }

    /// Emits the protocol, the rows, and the proofs of the steps, if there are steps.
    func emitSteps(to writer: inout SwiftWriter) {
        guard !steppedMigrations.isEmpty else { return }
        let versions = SteppedVersion.all(of: steppedMigrations)
        writer.line()
        emitProtocol(versions, to: &writer)
        writer.line()
        emitGlue(versions, to: &writer)
        writer.each(versions) { emitRows(of: $0, to: &$1) }
        writer.each(versions) { emitModel(of: $0, to: &$1) }
    }

    private func namespace(of model: Model, in versions: [SteppedVersion]) -> String {
        versions.first { $0.model.version == model.version }?.name ?? ""
    }

    private func emitProtocol(_ versions: [SteppedVersion], to writer: inout SwiftWriter) {
        let name = SwiftText.identifier(model.name)
        writer.doc("What the program itself does in migrations of `\(model.name)`.")
        writer.line("///")
        writer.doc(
            """
            Each step runs in the transaction of its migration, after the new tables are filled, \
            and before their conditions are checked and the old tables are dropped.
            """)
        writer.block("\(typeModifier)protocol \(stepsProtocol): \(names.standard("Sendable"))") {
            writer in
            var isFirst = true
            for migration in steppedMigrations {
                let (old, new) = (
                    namespace(of: migration.old, in: versions),
                    namespace(of: migration.new, in: versions)
                )
                for step in migration.coverage.steps {
                    if !isFirst { writer.line() }
                    isFirst = false
                    writer.doc(
                        "From version \(migration.old.version) to version \(migration.new.version)."
                    )
                    writer.docList(
                        "Afterwards every object must have:",
                        migration.coverage.supplied.map { "`\($0.name)`" })
                    writer.line(
                        "func \(SwiftText.identifier(step.name))(")
                    writer.line(
                        """
                            _ context: \(names.library("MigrationContext"))\
                        <\(name).\(old), \(name).\(new)>
                        """)
                    writer.line(") throws")
                }
            }
        }
    }

    private func emitGlue(_ versions: [SteppedVersion], to writer: inout SwiftWriter) {
        let codeStep = names.library("CodeStep")
        func identifier(of step: MigrationDeclaration.Step) -> String {
            SwiftText.identifier(step.name)
        }
        func type(of model: Model) -> SwiftCode {
            .text("\(namespace(of: model, in: versions)).self")
        }
        writer.block("\(isolation)extension \(SwiftText.identifier(model.name))") { writer in
            writer.doc(
                """
                Proves the program's steps: runs each migration that has some on an SQLite in \
                memory, with sample rows, and all of them up to the current version. \
                For the program's own tests.
                """)
            writer.line("///")
            writer.doc("- Throws: `MigrationVerificationError`, which lists what went wrong.")
            writer.line(
                "\(modifier)static func verifyMigrations(_ migration: any \(stepsProtocol)) throws {"
            )
            writer.line("    try model.verify(migration)")
            writer.line("}")
            writer.nextDoc("The steps for the migration runner.")
            writer.block(
                """
                @Sendable static func codeSteps(\
                _ migration: any \(stepsProtocol)) -> [\(codeStep)]
                """
            ) { writer in
                let calls = steppedMigrations.flatMap { stepped in
                    stepped.coverage.steps.map { step -> SwiftCode in
                        .call(
                            codeStep,
                            [
                                (nil, .string(step.name)),
                                ("from", type(of: stepped.old)), ("to", type(of: stepped.new)),
                                (nil, .text("{ try migration.\(identifier(of: step))($0) }")),
                            ])
                    }
                }
                writer.code("", .array(calls))
            }
            writer.nextDoc("The versions on both sides of the steps, for proofs.")
            writer.block(
                "@Sendable static func stepProofs() -> [\(names.library("StepProof"))]"
            ) { writer in
                let proofs = steppedMigrations.map { stepped -> SwiftCode in
                    .call(
                        names.library("StepProof"),
                        [
                            ("from", .text("\(namespace(of: stepped.old, in: versions)).model")),
                            ("to", .text("\(namespace(of: stepped.new, in: versions)).model")),
                        ])
                }
                writer.code("", .array(proofs))
            }
        }
    }

    /// A version as a value, which only proofs use.
    private func emitModel(of version: SteppedVersion, to writer: inout SwiftWriter) {
        writer.block(
            "\(isolation)extension \(SwiftText.identifier(model.name)).\(version.name)"
        ) { writer in
            writer.doc("The version as values, for proofs.")
            writer.body("fileprivate static var model: \(names.library("Model"))") {
                $0.code("", compiled(version.model, includesMigration: true))
            }
        }
    }
}

/// A migration with steps in the program's code, for the generated code.
package struct SteppedMigration: Sendable {
    package let old: Model
    package let new: Model
    /// The entities that the steps write, and the values that they have to fill.
    package let coverage: StepCoverage

    /// The migrations with steps between consecutive versions, the oldest first.
    package static func all(between versions: [Model]) -> [SteppedMigration] {
        zip(versions, versions.dropFirst()).compactMap { old, new in
            guard new.migration?.steps.isEmpty == false,
                let coverage = StepCoverage(ModelDifference(from: old, to: new))
            else { return nil }
            return SteppedMigration(old: old, new: new, coverage: coverage)
        }
    }
}

/// A version before or after a step, with its name in generated code.
struct SteppedVersion {
    let model: Model
    /// The name of its namespace.
    let name: String
    /// The root entities of the objects that steps write; empty if the version is only the start of
    /// a migration.
    let writtenRoots: Set<String>

    /// All versions of some migrations, the oldest first.
    static func all(of migrations: [SteppedMigration]) -> [SteppedVersion] {
        var versions: [SteppedVersion] = []
        for migration in migrations {
            if versions.last?.model.version != migration.old.version {
                versions.append(
                    SteppedVersion(
                        model: migration.old, name: name(migration.old, versions), writtenRoots: [])
                )
            }
            versions.append(
                SteppedVersion(
                    model: migration.new, name: name(migration.new, versions),
                    writtenRoots: migration.coverage.roots))
        }
        return versions
    }

    /// `Version` with the version's name; other characters than letters and digits become
    /// underscores.
    private static func name(_ model: Model, _ others: [SteppedVersion]) -> String {
        let letters = model.version.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        var name = "Version" + String(letters)
        while others.contains(where: { $0.name == name }) { name += "_" }
        return name
    }
}
