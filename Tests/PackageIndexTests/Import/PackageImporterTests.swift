import Cambium
import Foundation
import PackagesModel
import Testing

@testable import PackageIndex

@Suite struct PackageImporterTests {
    @Test func `packages, sections, maintainers and edges become objects`() async throws {
        let folder = try TemporaryFolder()
        let list = try folder.list(
            """
            Package: forest
            Version: 1
            Architecture: all
            Section: games
            Maintainer: Ann <ann@example.org>
            Depends: tree (>= 2) | bush, ground

            Package: tree
            Version: 2
            Architecture: amd64
            Section: games
            """)
        let container = try folder.container()
        let report = try await importList(list, into: container)
        #expect(report.inserted == 2)
        #expect(report.edges == 3)
        #expect(report.resolvedEdges == 1)

        let described = try await container.performBackgroundTask { context in
            let edges = try context.fetch(
                Dependency.fetchRequest().sorted(
                    by: Dependency.clause.ascending, Dependency.alternative.ascending))
            return edges.map {
                "\($0.dependent.label) > \($0.written) > \($0.target?.label ?? "nothing")"
            }
        }
        #expect(
            described == [
                "forest 1 (all) > tree (>= 2) > tree 2 (amd64)",
                "forest 1 (all) > bush > nothing", "forest 1 (all) > ground > nothing",
            ])
        let games = Package.fetchRequest().filter(Package.section.name == "games")
        #expect(try await container.performBackgroundTask { try $0.count(for: games) } == 2)
    }

    @Test func `a second import of the same list writes nothing`() async throws {
        let folder = try TemporaryFolder()
        let container = try folder.container()
        let list = try folder.list(
            String(decoding: PackageResources.packages_deb822, as: UTF8.self))
        let first = try await importList(list, into: container)
        #expect(first.read == 43)
        #expect(first.imported == 36)
        #expect(first.refused.count == 7)
        #expect(first.hasChanges)
        let bytes = try folder.dump()

        let second = try await importList(list, into: container)
        #expect(!second.hasChanges)
        #expect(second.unchanged == 36)
        #expect(second.refused.map(\.line) == first.refused.map(\.line))
        #expect(try folder.dump() == bytes)
    }

    @Test func `what changed in the list changes in the store, and nothing else`() async throws {
        let folder = try TemporaryFolder()
        let container = try folder.container()
        let head = "Package: forest\nVersion: 1\nArchitecture: all\n"
        _ = try await importList(
            try folder.list("\(head)Depends: aa, bb, cc\nSection: games"), into: container)
        let same = try await importList(
            try folder.list("\(head)Depends: aa, bb, cc\nSection: games\nTag: new"), into: container
        )
        #expect(!same.hasChanges)

        let report = try await importList(
            try folder.list("\(head)Depends: aa, xx\nSection: web"), into: container)
        #expect(report.updated == 1)
        #expect(report.changedEdges == 2)
        let names = try await container.performBackgroundTask { context in
            try context.fetch(Dependency.fetchRequest().sorted(by: Dependency.clause)).map(\.name)
        }
        #expect(names == ["aa", "xx"])
    }

    @Test func `rows that the model refuses are reported, and the others of the batch are saved`()
        async throws
    {
        let folder = try TemporaryFolder()
        let container = try folder.container()
        let list = try folder.list(
            """
            Package: Bad_Name
            Version: 1
            Architecture: all

            Package: forest
            Version: 1
            Architecture: all

            Package: moss
            Version: 1
            Architecture: all
            Essential: yes
            """)
        let report = try await importList(list, into: container)
        #expect(report.imported == 1)
        #expect(report.refused.map(\.line) == [1, 9])
        #expect(report.refused.last?.reason.contains("essential package") == true)
        let count = try await container.performBackgroundTask {
            try $0.count(for: Package.fetchRequest())
        }
        #expect(count == report.imported)
    }

    @Test func `an update that the model refuses leaves the stored package as it was`() async throws
    {
        let folder = try TemporaryFolder()
        let container = try folder.container()
        let head = "Package: forest\nVersion: 1\nArchitecture: all\n"
        _ = try await importList(try folder.list("\(head)Size: 5"), into: container)
        let report = try await importList(
            try folder.list(
                "\(head)Size: 7\nEssential: yes\n\nPackage: moss\nVersion: 1\nArchitecture: all"),
            into: container)
        #expect(report.refused.count == 1)
        #expect(report.inserted == 1)
        let sizes = try await container.performBackgroundTask { context in
            try context.fetch(Package.fetchRequest().sorted(by: Package.name)).map(\.downloadSize)
        }
        #expect(sizes == [5, nil])
    }

    @Test func `the count of read packages is that of their lines`() async throws {
        let folder = try TemporaryFolder()
        let container = try folder.container()
        let text =
            "Package: aa\nVersion: 1\nPackage: bb\nArchitecture: all\n\nFormat: 1\n\nPackage: cc\n"
        let report = try await importList(try folder.list(text), into: container)
        #expect(
            report.read == text.split(separator: "\n").filter { $0.hasPrefix("Package:") }.count)
        #expect(report.imported + report.refused.count == report.read)
        #expect(report.otherStanzas == 1)
    }

    private func importList(
        _ list: PackageList, into container: PersistentContainer
    ) async throws -> ImportReport {
        try await container.performBackgroundTask { context in
            let importer = try PackageImporter(context, batchSize: 3) { _ in }
            try importer.run(list)
            return importer.report
        }
    }
}

/// A folder that goes with the test.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "PackageIndex-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func list(_ text: String) throws -> PackageList {
        let file = url.appending(path: "list")
        try Data(text.utf8).write(to: file)
        return PackageList(path: file.path)
    }

    func container() throws -> PersistentContainer {
        try PersistentContainer(
            model: Packages.model, at: .file(url.appending(path: "store.sqlite").path))
    }

    /// The bytes of the store's files: what no write leaves the same.
    func dump() throws -> [Data] {
        try ["store.sqlite", "store.sqlite-wal"].map { name in
            let file = url.appending(path: name)
            return FileManager.default.fileExists(atPath: file.path)
                ? try Data(contentsOf: file) : Data()
        }
    }
}
