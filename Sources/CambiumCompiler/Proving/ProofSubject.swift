import CambiumMigration
import CambiumModel
import CambiumSQL

/// What the proofs of a bundle are about.
package final class ProofSubject: Sendable {
    let versions: [CheckedModel]
    /// The tables of each version.
    let schemas: [Schema]
    let verdicts: VerdictCache?
    /// The hash of each version's text, where it is asked for.
    private let digests: [String]
    private let schemaKey: String?
    /// Whether a store of the current version was made before, well.
    let isSchemaProven: Bool

    package init(_ versions: [CheckedModel], _ schemas: [Schema], _ verdicts: VerdictCache?) {
        self.versions = versions
        self.schemas = schemas
        self.verdicts = verdicts
        digests = verdicts == nil ? [] : versions.concurrentMap { $0.parsed.root.digest }
        schemaKey =
            if let verdicts, let digest = digests.last, let schema = schemas.last {
                verdicts.key(of: "schema", [digest, schema.hash, schema.metadata.versionHash])
            } else {
                nil
            }
        isSchemaProven = schemaKey.flatMap { verdicts?.verdict(for: $0) } == Self.made
    }

    /// Remembers that a store of the current version was made.
    func keepSchema() {
        guard !isSchemaProven, let schemaKey else { return }
        verdicts?.keep(Self.made, for: schemaKey)
    }

    private static let made = "made"

    /// The step to the version of that number.
    package func step(to index: Int) -> Step {
        Step(
            old: versions[index - 1], new: versions[index],
            schemas: (old: schemas[index - 1], new: schemas[index]),
            isLast: index + 1 == versions.count, earlier: Array(versions[..<(index - 1)]),
            digests: digests.isEmpty ? [] : [digests[index - 1], digests[index]])
    }

    /// A step from one version to the next.
    package struct Step {
        package let old: CheckedModel
        package let new: CheckedModel
        let schemas: (old: Schema, new: Schema)
        /// Whether it leads to the current version.
        let isLast: Bool
        /// The versions before the old one, oldest first.
        let earlier: [CheckedModel]
        fileprivate let digests: [String]

        /// The hash of all that the verdict on a migration depends on. The rows that it is proven
        /// with and what is expected of them are made of both models, and those of the two texts.
        func key(of migration: Migration, isShipped: Bool, in verdicts: VerdictCache) -> String {
            let model = new.model
            let statements = migration.steps.flatMap { step in
                [step.summary, "\(step.kind)", "\(step.statements.count)"] + step.sql
            }
            return verdicts.key(
                of: isShipped ? "shipped step" : "step",
                [model.name, old.model.version, model.version] + digests
                    + [schemas.old, schemas.new].flatMap { [$0.hash, $0.metadata.versionHash] }
                    + statements)
        }
    }
}
