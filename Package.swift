// swift-tools-version: 6.1
import PackageDescription

// The targets stand in the order of the data flow; every arrow of the architecture is a dependency
// here and nothing else is (Scripts/check-imports.sh compares imports with this list).

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Cambium",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Cambium", targets: ["Cambium"]),
        .executable(name: "cambium", targets: ["CambiumTool"]),
        .executable(name: "package-index", targets: ["PackageIndex"]),
        .plugin(name: "CambiumBuildPlugin", targets: ["CambiumBuildPlugin"]),
        .plugin(name: "CambiumCommandPlugin", targets: ["CambiumCommandPlugin"]),
    ],
    targets: [
        // The system's libraries
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),

        // Shared by build time and run time
        .target(name: "CambiumModel", swiftSettings: settings),
        .target(name: "CambiumSQL", dependencies: ["CambiumModel"], swiftSettings: settings),
        .target(
            name: "CambiumSQLite", dependencies: ["CSQLite", "CambiumModel"],
            swiftSettings: settings),
        .target(
            name: "CambiumMigration", dependencies: ["CambiumModel", "CambiumSQL", "CambiumSQLite"],
            swiftSettings: settings),

        // Build time
        .target(
            name: "CambiumCompiler",
            dependencies: ["CLibXML2", "CambiumModel", "CambiumSQL", "CambiumMigration"],
            swiftSettings: settings),
        .executableTarget(
            name: "CambiumTool", dependencies: ["CambiumCompiler", "CambiumMigration"],
            swiftSettings: settings),
        .plugin(
            name: "CambiumBuildPlugin", capability: .buildTool(), dependencies: ["CambiumTool"]),
        .plugin(
            name: "CambiumCommandPlugin",
            capability: .command(
                intent: .custom(
                    verb: "cambium", description: "Check models, print schema and migration SQL"),
                permissions: [
                    .writeToPackageDirectory(reason: "Writes the SQL of the models for review.")
                ]),
            dependencies: ["CambiumTool"]),

        // Run time
        .target(
            name: "Cambium",
            dependencies: ["CambiumModel", "CambiumSQL", "CambiumSQLite", "CambiumMigration"],
            swiftSettings: settings),
    ]
)
