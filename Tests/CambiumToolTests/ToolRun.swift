import Foundation
import Synchronization

@testable import CambiumCompiler
@testable import CambiumTool

/// A run of the tool, with what it printed.
struct ToolRun {
    let code: ExitCode
    let output: String
    let errors: String

    init(_ words: String...) {
        self.init(words)
    }

    init(_ words: [String]) {
        let output = Mutex("")
        let errors = Mutex("")
        let console = Console(
            write: { text in output.withLock { $0 += text } },
            writeError: { text in errors.withLock { $0 += text } })
        code = Tool.run(words, console)
        self.output = output.withLock { $0 }
        self.errors = errors.withLock { $0 }
    }
}

/// A folder that is gone with the value.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("cambium-tool-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// A package that depends on Cambium and has these targets, without their folders.
    convenience init(packageWith targets: String) throws {
        try self.init()
        try write(
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(
                name: "Trial",
                dependencies: [.package(path: "../Cambium")],
                targets: [\(targets)])
            """, to: "Package.swift")
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    func write(_ text: String, to name: String) throws {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// A bundle with one version.
    func bundle(_ body: String) throws -> String {
        try write(
            "<model xmlns=\"urn:cambium:model:1\" name=\"Shop\" version=\"1\">\(body)</model>",
            to: "Shop.cambium/1.xml")
        return path("Shop.cambium")
    }
}
