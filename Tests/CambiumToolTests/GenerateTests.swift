import CambiumCompiler
import Foundation
import Testing

@testable import CambiumTool

/// `cambium generate`, with real manifests.
struct GenerateTests {
    private static let plugin =
        "plugins: [.plugin(name: \"CambiumBuildPlugin\", package: \"Cambium\")]"
    private static let suffixes = ["Entities", "Migrations", "Model", "Validation"]

    private static func model(_ name: String, type: String = "int32") -> String {
        """
        <model xmlns="urn:cambium:model:1" name="\(name)" version="1">
          <entity name="\(name)Item"><attribute name="x" type="\(type)"/></entity>
        </model>
        """
    }

    /// A package with a model in each of two targets, of which one uses the plugin.
    private func package() throws -> TemporaryFolder {
        let folder = try TemporaryFolder(
            packageWith: """
                .target(name: "App", exclude: ["Shop.cambium"]), .target(name: "Plain"),
                .target(name: "Built", \(Self.plugin))
                """)
        try folder.write(Self.model("Shop"), to: "Sources/App/Shop.cambium/1.xml")
        try folder.write(Self.model("Club"), to: "Sources/Built/Club.cambium/1.xml")
        return folder
    }

    private func names(_ folder: TemporaryFolder, _ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path(path))) ?? []).sorted()
    }

    private func generate(_ folder: TemporaryFolder, _ words: String...) -> ToolRun {
        ToolRun(["generate", "--package", folder.url.path] + words)
    }

    @Test func `models of targets without the plugin are written into them`() throws {
        let folder = try package()
        let run = generate(folder)
        #expect(run.code == .fine && run.errors.isEmpty)
        let files = Self.suffixes.map { "Shop\($0).swift" }
        #expect(names(folder, "Sources/App/Generated") == files)
        #expect(names(folder, "Sources/Built") == ["Club.cambium"])
        #expect(
            Set(run.output.split(separator: "\n").map(String.init))
                == Set(files.map { "Wrote \(folder.path("Sources/App/Generated/\($0)"))" }))
        #expect(generate(folder, "--check").code == .fine)
        #expect(ToolRun("check", "--package", folder.url.path).code == .fine)
        // It is what the plugin writes.
        let compiled = folder.path("compiled")
        let model = folder.path("Sources/App/Shop.cambium")
        #expect(ToolRun("compile", model, "--output", compiled).code == .fine)
        for file in files {
            #expect(folder.text("compiled/\(file)") == folder.text("Sources/App/Generated/\(file)"))
        }
    }

    @Test func `what would not change is left alone`() throws {
        let folder = try package()
        #expect(generate(folder).code == .fine)
        let old = Date(timeIntervalSince1970: 1_000_000)
        for name in names(folder, "Sources/App/Generated") {
            try FileManager.default.setAttributes(
                [.modificationDate: old],
                ofItemAtPath: folder.path("Sources/App/Generated/\(name)"))
        }
        // The attribute is another one, and the text of validation is not.
        try folder.write(
            Self.model("Shop").replacing("\"x\"", with: "\"y\""),
            to: "Sources/App/Shop.cambium/1.xml")
        #expect(generate(folder).code == .fine)
        let changed = try names(folder, "Sources/App/Generated").filter { name in
            let path = folder.path("Sources/App/Generated/\(name)")
            let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
            return date as? Date != old
        }
        #expect(changed.contains("ShopEntities.swift") && !changed.contains("ShopMigrations.swift"))
    }

    @Test func `--check names each file that is not what a model makes, and writes nothing`() throws
    {
        let folder = try package()
        let missing = generate(folder, "--check")
        #expect(missing.code == .generatedCodeIsStale && missing.code.rawValue == 10)
        #expect(missing.output.split(separator: "\n").count == 4)
        #expect(missing.output.contains("Sources/App/Generated/ShopModel.swift is missing\n"))
        #expect(missing.errors.contains("swift package cambium generate"))
        #expect(names(folder, "Sources/App") == ["Shop.cambium"])

        #expect(generate(folder).code == .fine)
        let left = "Sources/App/Generated/OldModel.swift"
        let text = try #require(folder.text("Sources/App/Generated/ShopModel.swift"))
        try folder.write(text, to: left)
        try folder.write(text + "\n", to: "Sources/App/Generated/ShopModel.swift")
        try folder.write("// Mine", to: "Sources/App/Generated/Mine.swift")
        let stale = generate(folder, "--check")
        #expect(stale.code == .generatedCodeIsStale)
        #expect(
            stale.output.split(separator: "\n").map { $0.dropFirst(folder.url.path.count + 1) } == [
                "Sources/App/Generated/ShopModel.swift is stale",
                "\(left) is left over: it belongs to no model",
            ])
        #expect(folder.text(left) == text)

        #expect(generate(folder).output.contains("Removed \(folder.path(left))\n"))
        #expect(folder.text(left) == nil)
        #expect(folder.text("Sources/App/Generated/ShopModel.swift") == text)
        #expect(folder.text("Sources/App/Generated/Mine.swift") == "// Mine")
        #expect(generate(folder, "--check").code == .fine)
    }

    @Test func `the files of the last model of a target are left over too`() throws {
        let folder = try package()
        #expect(generate(folder).code == .fine)
        try FileManager.default.removeItem(atPath: folder.path("Sources/App/Shop.cambium"))
        #expect(generate(folder, "--check", "--target", "App").code == .generatedCodeIsStale)
        #expect(generate(folder, "--target", "App").code == .fine)
        #expect(names(folder, "Sources/App/Generated").isEmpty)
    }

    @Test func `all is written, or nothing`() throws {
        let folder = try package()
        try folder.write(
            Self.model("Wrong", type: "int"), to: "Sources/App/Wrong.cambium/1.xml")
        let wrong = generate(folder)
        #expect(wrong.code == .modelHasErrors && wrong.errors.contains("[CM401]"))
        #expect(names(folder, "Sources/App/Generated").isEmpty)
        try FileManager.default.removeItem(atPath: folder.path("Sources/App/Wrong.cambium"))

        try folder.write("// Mine", to: "Sources/App/Generated/ShopValidation.swift")
        let foreign = generate(folder)
        #expect(foreign.code == .file)
        #expect(foreign.errors.contains("ShopValidation.swift exists, and Cambium has not"))
        #expect(names(folder, "Sources/App/Generated") == ["ShopValidation.swift"])
    }

    @Test func `files are written all or none`() throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "a.txt")
        try folder.write("", to: "file")
        let files = [(folder.path("a.txt"), "new"), (folder.path("file/b.txt"), "new")]
        #expect(throws: ToolError.self) { try Files.write(all: files) }
        #expect(folder.text("a.txt") == "old")
        #expect(names(folder, "") == ["a.txt", "file"])
    }

    @Test func `a target that uses the plugin is named, and what to change is said`() throws {
        let folder = try package()
        let run = generate(folder, "--target", "Built")
        #expect(run.code == .fine)
        #expect(names(folder, "Sources/Built/Generated").count == 4)
        #expect(names(folder, "Sources/App") == ["Shop.cambium"])
        #expect(
            run.errors.contains("Remove the plugin 'CambiumBuildPlugin' from the target 'Built'"))
        #expect(run.errors.contains("Add to the target 'Built': exclude: [\"Club.cambium\"]"))
        #expect(generate(folder, "--target", "Bulit").errors.contains("Did you mean 'Built'?"))

        try FileManager.default.removeItem(atPath: folder.path("Sources/App/Shop.cambium"))
        let none = generate(folder)
        #expect(none.code == .usage && none.errors.contains("--target Built"))
    }

    @Test func `a model is generated into any folder`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle("<entity name=\"A\"/>")
        let output = folder.path("made")
        #expect(
            ToolRun("generate", path, "--output", output, "--check").code == .generatedCodeIsStale)
        #expect(ToolRun("generate", path, "--output", output).code == .fine)
        #expect(names(folder, "made").count == 4)
        #expect(ToolRun("generate", path, "--output", output, "--check").code == .fine)
        let twice = ToolRun("generate", path, path, "--output", output)
        #expect(twice.code == .usage && twice.errors.contains("Two models would be"))
    }

    @Test(arguments: ["compile", "generate"])
    func `Swift of another format than expected is refused`(command: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.bundle("<entity name=\"A\"/>")
        let format = SwiftEmitter.format
        let output = folder.path("made")
        let other = ToolRun(command, path, "--output", output, "--expects", "f0000000")
        #expect(other.code == .file)
        for word in [format, "f0000000", "swift build --product CambiumTool", "unset CAMBIUM_TOOL"]
        {
            #expect(other.errors.contains(word))
        }
        #expect(folder.text("made/ShopModel.swift") == nil)
        #expect(ToolRun(command, path, "--output", output, "--expects", format).code == .fine)
    }
}
