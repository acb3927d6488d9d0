import Cambium
import CambiumCompiler
import ContactsModel
import EverythingModel
import ExtendedModel
import FirstPackagesModel
import Foundation
import PackagesModel
import ShopModel
import Synchronization
import TestDummyModel
import Testing

/// The versions of a model that there are old stores of, as today's compiler understands them.
struct OldModel: Sendable {
    /// Each version as the program of that time had it, with the migrations that lead to it.
    let versions: [CompiledModel]
    /// Open a store as the program of the current version does: the one with the classes that are
    /// part of this package, where there are some, and one with what is compiled now.
    let currentPrograms: [Opening]

    typealias Opening = @Sendable (_ path: String, StoreOptions) throws -> PersistentContainer

    private static let generated: [String: Opening] = [
        "Contacts": {
            try PersistentContainer(
                model: Contacts.model, migration: ContactsSteps(), at: .file($0), options: $1)
        },
        "Everything": program(Everything.model), "Extended": program(Extended.model),
        "FirstPackages": program(FirstPackagesModel.Packages.model),
        "Packages": program(PackagesModel.Packages.model), "Shop": program(Shop.model),
        "TestDummies": program(TestDummies.model),
    ]

    private static func program(_ model: CompiledModel) -> Opening {
        { path, options in
            try PersistentContainer(model: model, at: .file(path), options: options)
        }
    }

    private static let known = Mutex<[URL: OldModel]>([:])

    /// The model of a store. It was kept with it, since what stands in this package goes on.
    static func of(_ store: OldStore) throws -> OldModel {
        let folder = store.folder.deletingLastPathComponent().appendingPathComponent("model")
        return try known.withLock { models in
            if let model = models[folder] { return model }
            let model = try OldModel(in: folder, generated[store.fixture])
            models[folder] = model
            return model
        }
    }

    private init(in folder: URL, _ generated: Opening?) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let bundle = try #require(names.first { $0 != "declarations.xml" })
        let declarations = folder.appendingPathComponent("declarations.xml").path
        let compilation = ModelCompiler.compile(
            folder.appendingPathComponent(bundle).path,
            declarations: FileManager.default.fileExists(atPath: declarations) ? declarations : nil,
            checksLock: false)
        let compiled = try #require(
            compilation.bundle, "\(bundle): \(compilation.diagnostics.map(\.message))")
        versions = compiled.versions.enumerated().map { index, version in
            CompiledModel(version.model, migrations: Array(compiled.migrations.prefix(index)))
        }
        let current = try #require(versions.last)
        currentPrograms = (generated.map { [$0] } ?? []) + [Self.program(current)]
    }

    /// Opens a store with the first of the current programs.
    func openCurrent(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws -> PersistentContainer {
        let program = try #require(currentPrograms.first)
        return try program(path, options)
    }

    /// Opens a store with the program of its own version.
    func openOwn(
        _ store: OldStore, at path: String, options: StoreOptions = StoreOptions()
    ) throws -> PersistentContainer {
        let own = try #require(versions.first { $0.model.version == store.version })
        if own.model.version == versions.last?.model.version {
            return try openCurrent(at: path, options: options)
        }
        return try PersistentContainer(model: own, at: .file(path), options: options)
    }
}
