import CambiumMigration
import CambiumModel
import CambiumSQL

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What has to hold for any bytes that stand where a model is expected: nothing traps, a refusal
/// has a place in the file, and what is accepted becomes Swift and a schema that SQLite takes, can
/// be laid out anew, and means the same in the other spelling.
///
/// A file without Cambium's namespace is read as Xcode's. A zero byte, which no XML has, divides an
/// input into the two versions of a bundle. The kept inputs run through it in the tests, random
/// ones in the fuzzer.
struct XMLInput {
    private var models: [CheckedModel] = []
    private var identities: IdentityTable?
    private var restored: IdentityTable?

    /// What does not hold, or nil.
    static func finding(in bytes: [UInt8]) -> String? {
        var input = XMLInput()
        do {
            let files = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            for (index, file) in files.enumerated() {
                guard try input.read([UInt8](file), version: "\(index + 1)") else { return nil }
            }
            try input.compile()
        } catch {
            return error.text
        }
        return nil
    }

    private struct Finding: Error {
        let text: String
    }

    private func find(_ text: String, if isFound: Bool = true) throws(Finding) {
        if isFound { throw Finding(text: text) }
    }

    // MARK: A version

    /// Whether the file is a model without errors.
    private mutating func read(_ bytes: [UInt8], version: String) throws(Finding) -> Bool {
        let source = SourceText(path: "\(version).xml", bytes: bytes)
        let root: ParsedElement
        do {
            root = try XMLReader.read(source)
        } catch {
            try expectPlace(of: error, in: source)
            return false
        }
        var parsed = ParsedModel(source: source, version: version, root: root)
        var diagnostics: [Diagnostic] = []
        if root.namespace == nil, root.name == "model" {
            let (own, found) = XcodeTranslator.translate(
                root, of: source, name: "Shop", version: version, previous: identities)
            identities = IdentityTable(xcode: root)
            parsed = ParsedModel(source: source, version: version, root: own, format: .xcode)
            diagnostics = found
        }
        let (model, found) = ModelChecker.check(
            parsed, bundleName: "Shop", previousVersion: models.last.map { _ in "1" },
            previous: models.last)
        for diagnostic in diagnostics + found { try expectPlace(of: diagnostic, in: source) }
        try find("no model and no error", if: (model == nil) != found.hasErrors)
        guard let model, !diagnostics.hasErrors else { return false }
        try expectLayout(of: parsed)
        try expectOtherSpelling(of: model)
        models.append(model)
        return true
    }

    private func expectPlace(of diagnostic: Diagnostic, in source: SourceText) throws(Finding) {
        let end = source.position(at: source.bytes.count)
        let start = SourcePosition(path: source.path, line: 1, column: 1)
        try find(
            "a diagnostic without place or words: \(diagnostic)",
            if: diagnostic.position < start || diagnostic.position > end
                || diagnostic.message.isEmpty)
    }

    /// Laid out, a model says the same, and stays as it is when it is laid out again.
    private func expectLayout(of model: ParsedModel) throws(Finding) {
        let text = XMLPrinter.print(model.root)
        let source = SourceText(path: "layout", bytes: Array(text.utf8))
        do {
            try find("layout: \(text)", if: try XMLPrinter.print(XMLReader.read(source)) != text)
            guard model.format == .cambium else { return }
            let formatted = try ModelFormatter.format(model.source)
            let copy = SourceText(path: "formatted", bytes: Array(formatted.utf8))
            try find("format: \(formatted)", if: try ModelFormatter.format(copy) != formatted)
            try find("format: \(formatted)", if: try XMLPrinter.print(XMLReader.read(copy)) != text)
        } catch let error as Finding {
            throw error
        } catch {
            throw Finding(text: "laid out it is not XML: \(error) \(text)")
        }
    }

    /// What becomes Xcode's XML and is read again is the same model.
    private mutating func expectOtherSpelling(of model: CheckedModel) throws(Finding) {
        let root = XcodeRestorer.restore(model.parsed.root, previous: restored)
        let text = XcodePrinter.print(root)
        let source = SourceText(path: "xcode", bytes: Array(text.utf8))
        guard let read = try? XMLReader.read(source) else {
            throw Finding(text: "converted it is not XML: \(text)")
        }
        let (own, _) = XcodeTranslator.translate(
            read, of: source, name: "Shop", version: model.model.version, previous: restored)
        restored = IdentityTable(xcode: root)
        let (back, diagnostics) = ModelChecker.check(
            ParsedModel(
                source: source, version: model.model.version, root: own, format: .xcode),
            bundleName: "Shop", previousVersion: models.last.map { _ in "1" },
            previous: models.last)
        guard let back else {
            let errors = diagnostics.filter(\.isError).map(\.rendered)
            throw Finding(text: "converted it has errors: \(errors) \(text)")
        }
        try find(
            "converted it is another model: \(text)",
            if: back.model.versionHash != model.model.versionHash)
    }

    // MARK: The bundle

    private func compile() throws(Finding) {
        guard let current = models.last else { return }
        var migrations: [Migration] = []
        do {
            _ = try MigrationProver.makeStore(of: current.model, seed: 0)
        } catch  where "\(error)".contains("SQLite error 1: too many columns") {
            return  // a finding of the compiler's, CM704
        } catch {
            throw Finding(text: "the schema fails: \(error)")
        }
        if let first = models.first, models.count == 2 {
            // What is undecided is refused, with words; what is decided works.
            guard let migration = try? Migration(from: first.model, to: current.model) else {
                return
            }
            do {
                try MigrationProver.prove(
                    from: first.model, to: current.model, migration: migration, seeds: 0..<1)
            } catch {
                throw Finding(text: "the migration fails: \(error)")
            }
            migrations = [migration]
        }
        let files = SwiftEmitter(
            model: current.model, bundle: "Shop.cambium", access: current.access
        ).files(schema: Schema(of: current.model).statements, migrations: migrations)
        try find("an empty file", if: files.contains { $0.contents.isEmpty })
    }
}
