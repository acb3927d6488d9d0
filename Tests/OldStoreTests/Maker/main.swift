import Cambium
import CambiumCompiler
import ContactsModel
import Foundation

// Makes the stores that the tests of `OldStoreTests` open. Compiled and run by
// Scripts/old-stores.sh, in a copy of the first edition: what is here is written against that one's
// interfaces, whatever has become of them since.
//
//   StoreMaker ours PACKAGE OUTPUT
//   StoreMaker corpus CORPUS PACKAGE OUTPUT

/// A bundle and which stores to make of it.
struct Fixture {
    let name: String
    let bundle: String
    var declarations: String?
    /// Whether each version gets a second store, which keeps a history with values.
    var hasHistory = false
    /// Only these of the versions that lead to the current one; nil means all.
    var picks: (Int) -> Bool = { _ in true }
    /// Whether nobody here wrote the model: rows may not fit what it asks of them later.
    var isOfCorpus = false
    /// Whether the current version is all that matters: the others need declarations.
    var isAlone = false
    /// Whether stores can be migrated: a program's own steps stand in the way.
    var migrates = true
}

func makeStores(of fixture: Fixture, in output: String) throws {
    let files = FileManager.default
    let folder = "\(output)/\(fixture.name)"
    let bundle = "\(folder)/model/\((fixture.bundle as NSString).lastPathComponent)"
    try files.createDirectory(atPath: "\(folder)/model", withIntermediateDirectories: true)
    if fixture.isAlone {
        try copyCurrentVersion(of: fixture.bundle, to: bundle)
    } else {
        try files.copyItem(atPath: fixture.bundle, toPath: bundle)
    }
    if let declarations = fixture.declarations {
        try files.copyItem(atPath: declarations, toPath: "\(folder)/model/declarations.xml")
    }
    let compilation = ModelCompiler.compile(
        bundle, declarations: fixture.declarations, checksLock: false)
    guard let compiled = compilation.bundle else {
        let errors = compilation.diagnostics.filter(\.isError).map(\.message)
        throw Failure(errors.joined(separator: "; "))
    }
    let models = compiled.versions.map(\.model)
    for (index, model) in models.enumerated() where fixture.picks(models.count - 1 - index) {
        for keepsHistory in fixture.hasHistory ? [false, true] : [false] {
            let store = "\(folder)/\(model.version)\(keepsHistory ? "+history" : "")"
            print("  \(fixture.name) \(model.version)\(keepsHistory ? ", with a history" : "")")
            fflush(nil)
            try files.createDirectory(atPath: store, withIntermediateDirectories: true)
            let own = CompiledModel(model, migrations: Array(compiled.migrations[..<index]))
            var options = StoreOptions()
            options.history = keepsHistory ? .values : .off
            try fill(store, own, options, before: Array(models[(index + 1)...]))
            try describe(store, own, keepsHistory: keepsHistory)
            guard index < models.count - 1, fixture.migrates, let current = models.last
            else { continue }
            do {
                try migrate(store) { path in
                    fixture.name == "Contacts"
                        ? try PersistentContainer(
                            model: Contacts.model, migration: ContactsSteps(), at: .file(path))
                        : try PersistentContainer(
                            model: CompiledModel(current, migrations: compiled.migrations),
                            at: .file(path))
                }
            } catch {
                guard fixture.isOfCorpus else { throw error }
                print("    not migrated: " + "\(error)".prefix(300))
            }
        }
    }
}

func fill(
    _ store: String, _ model: CompiledModel, _ options: StoreOptions, before later: [Model]
) throws {
    let container = try PersistentContainer(
        model: model, at: .file("\(store)/store.sqlite"), options: options)
    var sample = SampleObjects(in: container.newContext(), before: later)
    try sample.fill()
}

/// Writes what the first edition reads from the closed store.
func describe(_ store: String, _ model: CompiledModel, keepsHistory: Bool) throws {
    let container = try PersistentContainer(model: model, at: .file("\(store)/store.sqlite"))
    let context = container.newContext()
    try write(StoreContents.objects(in: context), to: "\(store)/objects.txt")
    if keepsHistory {
        try write(StoreContents.history(in: context), to: "\(store)/history.txt")
    }
}

/// Writes what the first edition makes of a copy of the store.
func migrate(_ store: String, opening open: (String) throws -> PersistentContainer) throws {
    let copy = "\(store).copy"
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let container = try open("\(copy)/store.sqlite")
    let lines = try StoreContents.objects(in: container.newContext())
    try write(lines, to: "\(store)/migrated.txt")
}

func write(_ lines: [String], to path: String) throws {
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
}

/// A bundle of Xcode's with nothing but its current version.
func copyCurrentVersion(of bundle: String, to path: String) throws {
    let files = FileManager.default
    let versions = try files.contentsOfDirectory(atPath: bundle)
        .filter { $0.hasSuffix(".xcdatamodel") }
        .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    let setting = try? String(contentsOfFile: "\(bundle)/.xccurrentversion", encoding: .utf8)
    let current =
        versions.first { setting?.contains("<string>\($0)</string>") == true } ?? versions.last
    guard let current else { throw Failure("no version") }
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    try files.copyItem(atPath: "\(bundle)/\(current)", toPath: "\(path)/\(current)")
}

func ours(_ package: String) throws -> [Fixture] {
    let cases = "\(package)/Tests/CambiumCompilerTests/Cases/Emitting/Models"
    let emitted = try FileManager.default.contentsOfDirectory(atPath: cases).sorted()
        .compactMap { folder -> Fixture? in
            let bundle = try FileManager.default.contentsOfDirectory(atPath: "\(cases)/\(folder)")
                .first { $0.hasSuffix(".cambium") || $0.hasSuffix(".xcdatamodeld") }
            return bundle.map {
                Fixture(
                    name: "case-\(folder)", bundle: "\(cases)/\(folder)/\($0)",
                    hasHistory: folder == "xcode", migrates: folder != "stepped")
            }
        }
    let models = "\(package)/Models"
    return emitted + [
        Fixture(name: "Contacts", bundle: "\(models)/Stepped/Contacts.cambium", hasHistory: true),
        Fixture(
            name: "Everything", bundle: "\(models)/Everything/Everything.cambium",
            hasHistory: true),
        Fixture(name: "Extended", bundle: "\(models)/Extended/Extended.cambium", hasHistory: true),
        Fixture(name: "FirstPackages", bundle: "\(models)/FirstPackages/Packages.cambium"),
        Fixture(name: "Packages", bundle: "\(models)/Packages/Packages.cambium", hasHistory: true),
        Fixture(name: "Shop", bundle: "\(models)/Shop/Shop.cambium"),
        Fixture(name: "TestDummies", bundle: "\(models)/TestDummy/TestDummies.cambium"),
        Fixture(
            name: "package-Ported",
            bundle: "\(package)/Tests/Packages/Ported/Sources/App/Old Shop.xcdatamodeld"),
        Fixture(
            name: "package-Shop", bundle: "\(package)/Tests/Packages/Shop/Sources/App/Shop.cambium"),
    ]
}

/// The current version of every bundle, and every tenth of the long histories.
func corpus(_ corpus: String, _ package: String) -> [Fixture] {
    let bundles = (FileManager.default.enumerator(atPath: "\(corpus)/models") ?? .init())
        .compactMap { $0 as? String }.filter { $0.hasSuffix(".xcdatamodeld") }.sorted()
    return bundles.map { path in
        let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        let repository = path.split(separator: "/").first ?? ""
        let history = "\(package)/Tests/CambiumCompilerTests/Histories/\(name).history.xml"
        let isLong = FileManager.default.fileExists(atPath: history)
        return Fixture(
            name: "\(repository)-\(path.filter { $0 == "/" }.count)-\(name)",
            bundle: "\(corpus)/models/\(path)", declarations: isLong ? history : nil,
            picks: { $0 % 10 == 0 }, isOfCorpus: true, isAlone: !isLong)
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("ours", 3):
    for fixture in try ours(arguments[1]) { try makeStores(of: fixture, in: arguments[2]) }
case ("corpus", 4):
    var made = 0
    let fixtures = corpus(arguments[1], arguments[2])
    for fixture in fixtures {
        do {
            try makeStores(of: fixture, in: arguments[3])
            made += 1
        } catch {
            print("  \(fixture.name): not made: \("\(error)".prefix(300))")
            try? FileManager.default.removeItem(atPath: "\(arguments[3])/\(fixture.name)")
        }
    }
    print("\(made) of \(fixtures.count) models of the corpus have stores")
default:
    print("StoreMaker ours PACKAGE OUTPUT | StoreMaker corpus CORPUS PACKAGE OUTPUT")
    exit(2)
}
