import CambiumMigration
import CambiumModel
import CambiumSQL
import Foundation
import Synchronization

/// The proofs of a bundle, which run in parallel.
extension ModelCompiler {
    /// A proof that is independent of the others.
    enum Proof: Sendable {
        case schema(SchemaProof)
        /// The step to the version of that number.
        case step(Int)
    }

    indirect enum ProofOutcome: Sendable {
        case schema((any Error)?)
        case step(Migration?, [Diagnostic], VerifyReport.Step)
    }

    /// The proofs of a bundle. One creates a store of the current version, and detects an SQLite
    /// that is too old. The others are the steps from each version to the next.
    func proofs(of subject: ProofSubject) -> [Proof]? {
        let versions = subject.versions
        guard let current = versions.last, let schema = subject.schemas.last else { return nil }
        do throws(MigrationProver.Failure) {
            let parts =
                subject.isSchemaProven
                ? [] : try SchemaProof.parts(of: schema, current.model).map(Proof.schema)
            return parts + versions.indices.dropFirst().map(Proof.step)
        } catch {
            diagnostics.append(Self.schemaFailure(error, at: current.position(ofEntity: nil)))
            return nil
        }
    }

    static func outcome(of proof: Proof, _ subject: ProofSubject) -> ProofOutcome {
        switch proof {
        case .schema(let part):
            do {
                try part.run()
                return .schema(nil)
            } catch {
                return .schema(error)
            }
        case .step(let index):
            let compiler = ModelCompiler(verdicts: subject.verdicts)
            let step = subject.step(to: index)
            let migration =
                ShippedStep.hasShipped(to: step.new, isLast: step.isLast)
                ? compiler.planShipped(step)?.migration : compiler.plan(step)
            return .step(
                migration, compiler.diagnostics,
                compiler.report(on: migration, from: step.old, to: step.new))
        }
    }

    /// The steps that were proven; nil if the current version's store cannot be created.
    func migrations(
        of outcomes: [ProofOutcome], between versions: [CheckedModel]
    ) -> [Migration]? {
        for case .schema(let error?) in outcomes {
            let position = versions.last?.position(ofEntity: nil)
            if let position { diagnostics.append(Self.schemaFailure(error, at: position)) }
            return nil
        }
        var migrations: [Migration] = []
        for case .step(let migration, let found, let report) in outcomes {
            diagnostics += found
            steps.append(report)
            if let migration {
                migrations.append(migration)
            } else {
                // If a step is impossible, the steps before it are useless.
                migrations = []
            }
        }
        return migrations
    }
}

/// The input of the proofs of a bundle.
package final class ProofSubject: Sendable {
    let versions: [CheckedModel]
    /// The tables of each version.
    let schemas: [Schema]
    let verdicts: VerdictCache?
    /// The hash of each version's text, if proofs are stored.
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
        /// Whether the step ends at the current version.
        let isLast: Bool
        /// The versions before the old one, oldest first.
        let earlier: [CheckedModel]
        fileprivate let digests: [String]

        /// The hash of everything that the result of a proof depends on. The sample rows and the
        /// expected results are made from both models, and these from the two texts.
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

/// The results of earlier proofs, so that they are not repeated: a folder with a small file for
/// each result.
///
/// The name of a file is the hash of everything that its result depends on: the proven step, and
/// the tool, the prover and the SQLite. Only successful results are stored.
///
/// Errors of the cache are ignored. If a file is missing, damaged or unreadable, the proof is run.
/// If a file cannot be written, the proof is run again next time. Files are written atomically, so
/// any number of processes may share a folder.
package final class VerdictCache: Sendable {
    private let folder: URL
    private let identity: String
    private let capacity: Int
    private let hasGrown = Mutex(false)

    private static let suffix = "proof"
    /// The minimum size of a file.
    private static let blockSize = 4096
    /// The maximum size of a single result.
    private static let verdictSize = 1 << 20

    /// Uses a folder. It is created when a result is stored.
    ///
    /// - Parameters:
    ///   - folder: The folder of the results. Other files in it are ignored.
    ///   - tool: Identifies the program that proves, so that another build of the same version has
    ///     another identity.
    ///   - capacity: The maximum number of bytes of all results.
    package init(folder: String, tool: String, capacity: Int = 32 << 20) {
        self.folder = URL(fileURLWithPath: folder, isDirectory: true)
        identity = "verdicts 1, \(tool), \(MigrationProver.identity)"
        self.capacity = capacity
    }

    /// The key of a result.
    ///
    /// - Parameters:
    ///   - kind: The kind of proof.
    ///   - parts: Everything that the result depends on.
    package func key(of kind: String, _ parts: [String]) -> String {
        var text = ""
        for part in [identity, kind] + parts {
            text += "\(part.utf8.count):"
            text += part
        }
        return SHA256.hexadecimal(of: text)
    }

    /// The stored result, or nil.
    package func verdict(for key: String) -> String? {
        guard let data = try? Data(contentsOf: file(of: key)) else { return nil }
        let bytes = [UInt8](data)
        let length = 64
        guard bytes.count > length, bytes[length] == UInt8(ascii: "\n") else { return nil }
        let verdict = String(decoding: bytes[(length + 1)...], as: UTF8.self)
        let seal = Self.seal(of: verdict, key)
        return bytes[..<length].elementsEqual(seal.utf8) ? verdict : nil
    }

    /// Stores a result.
    package func keep(_ verdict: String, for key: String) {
        guard verdict.utf8.count <= Self.verdictSize else { return }
        let text = Self.seal(of: verdict, key) + "\n" + verdict
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard (try? Data(text.utf8).write(to: file(of: key), options: .atomic)) != nil else {
            return
        }
        hasGrown.withLock { $0 = true }
    }

    /// Removes the oldest results if there are too many. Call it at the end.
    package func prune() {
        guard hasGrown.withLock({ $0 }) else { return }
        let manager = FileManager.default
        let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        var verdicts = names.filter(Self.isVerdict).map { name in
            let file = folder.appendingPathComponent(name).path
            let attributes = try? manager.attributesOfItem(atPath: file)
            return (
                file: file, date: attributes?[.modificationDate] as? Date ?? .distantPast,
                size: max(attributes?[.size] as? Int ?? 0, Self.blockSize)
            )
        }
        var total = verdicts.reduce(0) { $0 + $1.size }
        guard total > capacity else { return }
        verdicts.sort { $0.date > $1.date }
        // Half of the room, so that the next run has not to do it again.
        while total > capacity / 2, let oldest = verdicts.popLast() {
            try? manager.removeItem(atPath: oldest.file)
            total -= oldest.size
        }
    }

    private func file(of key: String) -> URL {
        folder.appendingPathComponent("\(key).\(Self.suffix)")
    }

    private static func isVerdict(_ name: String) -> Bool {
        let key = name.utf8.dropLast(suffix.utf8.count + 1)
        return name.hasSuffix(".\(suffix)") && key.count == 64
            && key.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// A seal of a result and its key, which detects changed or misplaced files.
    private static func seal(of verdict: String, _ key: String) -> String {
        SHA256.hexadecimal(of: "\(key)\n\(verdict)")
    }

    /// The stored counts of a proof, or nil.
    func proof(for key: String) -> MigrationProver.Proof? {
        guard let words = verdict(for: key)?.split(separator: " "), words.count >= 3,
            let rows = Int(words[0]), let newRows = Int(words[1]), let refusals = Int(words[2])
        else { return nil }
        let names = words.dropFirst(3)
        return MigrationProver.Proof(
            rows: rows, newRows: newRows, refusals: refusals,
            refused: names.filter { !$0.hasPrefix(dropMark) }.map(String.init),
            dropped: names.filter { $0.hasPrefix(dropMark) }.map { String($0.dropFirst()) })
    }

    /// Stores the counts of a proof.
    func keep(_ proof: MigrationProver.Proof, for key: String) {
        let counts = [proof.rows, proof.newRows, proof.refusals].map(String.init)
        let dropped = proof.dropped.map { dropMark + $0 }
        keep((counts + proof.refused + dropped).joined(separator: " "), for: key)
    }

    /// The prefix of an entity name, if drops deleted objects of the entity. No name begins with
    /// it.
    private var dropMark: String { "-" }
}

extension ParsedElement {
    /// A hash of the element's content: its names, values and texts, and everything in it, but not
    /// layout and comments.
    var digest: String {
        var text = ""
        write(to: &text)
        return SHA256.hexadecimal(of: text)
    }

    /// Writes each part with its length, so that different elements have different texts.
    private func write(to text: inout String) {
        func add(_ part: String) {
            text += "\(part.utf8.count):"
            text += part
        }
        add(name)
        add(namespace ?? "")
        text += "\(attributes.count),\(children.count);"
        for attribute in attributes {
            add(attribute.name)
            add(attribute.value)
        }
        let isLayout = self.text.value.utf8.allSatisfy { " \t\r\n".utf8.contains($0) }
        add(isLayout ? "" : self.text.value)
        for child in children { child.write(to: &text) }
    }
}
