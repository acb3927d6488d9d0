import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// `cambium check --package`, with real manifests.
struct PackageModelsTests {
    private static let model = """
        <model xmlns="urn:cambium:model:1" name="Shop" version="1"><entity name="Product"/></model>
        """

    @Test func `a target whose model nothing compiles is named, with what to add`() throws {
        let folder = try TemporaryFolder(
            packageWith: """
                .target(name: "Good", plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
                .target(name: "Other", plugins: [.plugin(name: "Formatter", package: "Cambium")]),
                .target(name: "Bad", path: "Code"), .testTarget(name: "BadTests"),
                .target(name: "Generated"), .target(name: "Empty")
                """)
        for place in ["Sources/Good", "Sources/Other", "Code/Deep", "Tests/BadTests"] {
            try folder.write(Self.model, to: "\(place)/Shop.cambium/1.xml")
        }
        try folder.write(Self.model, to: "Sources/Generated/Shop.cambium/1.xml")
        try folder.write(Self.model, to: "Sources/Generated/Forgotten.cambium/1.xml")
        let generated = folder.path("Sources/Generated")
        #expect(
            ToolRun("compile", "\(generated)/Shop.cambium", "--output", generated).code == .fine)
        try folder.write("", to: "Sources/Empty/main.swift")
        let run = ToolRun("check", "--package", folder.url.path)
        #expect(run.code == .modelHasErrors && run.output.isEmpty)
        let lines = run.errors.split(separator: "\n").map {
            String($0.dropFirst(folder.url.path.count + 1))
        }
        func error(_ model: String, _ target: String) -> String {
            "Package.swift: error: Nothing compiles \(model) of the target '\(target)'."
        }
        #expect(
            lines.filter { $0.contains("error:") } == [
                error("Sources/Other/Shop.cambium", "Other"),
                error("Code/Deep/Shop.cambium", "Bad"),
                error("Tests/BadTests/Shop.cambium", "BadTests"),
                error("Sources/Generated/Forgotten.cambium", "Generated"),
            ])
        #expect(
            lines.contains(
                "Package.swift: note: Add to the target 'Bad': plugins: [.plugin("
                    + "name: \"CambiumBuildPlugin\", package: \"Cambium\")]"))
        #expect(
            lines.contains(
                "Package.swift: note: Or write its Swift into it: swift package cambium generate "
                    + "--target Bad"))
    }

    @Test func `a package that compiles its models is fine`() throws {
        let folder = try TemporaryFolder(
            packageWith: """
                .target(name: "Good", plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")])
                """)
        try folder.write(Self.model, to: "Sources/Good/Shop.cambium/1.xml")
        let run = ToolRun("check", "--package", folder.url.path)
        #expect(run.code == .fine)
        #expect(run.output == "Each model is compiled. Targets with models: 1\n")
    }

    @Test func `a folder that is no package, and a broken manifest, are errors`() throws {
        let folder = try TemporaryFolder()
        let missing = ToolRun("check", "--package", folder.url.path)
        #expect(missing.code == .file && missing.errors.contains("it has no Package.swift"))
        try folder.write("// swift-tools-version: 6.1\nlet package = 7", to: "Package.swift")
        let broken = ToolRun("check", "--package", folder.url.path)
        #expect(broken.code == .file && broken.errors.contains("cannot be read"))
        #expect(ToolRun("check", "x.cambium", "--package", ".").code == .usage)
    }
}
