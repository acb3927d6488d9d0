// swift-tools-version: 6.1
import PackageDescription

// What an imported store says through the runtime, for a comparison with what Core Data wrote;
// Scripts/test-coredata-stores.sh runs it. A nested package, so that users never resolve it. Its modules
// are those of Cambium, by links.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "CoreDataStores",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        .target(name: "CambiumModel", swiftSettings: settings),
        .target(name: "CambiumRecords", dependencies: ["CambiumModel"], swiftSettings: settings),
        .target(name: "CambiumPlan", dependencies: ["CambiumModel"], swiftSettings: settings),
        .target(
            name: "CambiumSQL", dependencies: ["CambiumModel", "CambiumRecords", "CambiumPlan"],
            swiftSettings: settings),
        .target(
            name: "CambiumSQLite", dependencies: ["CSQLite", "CambiumModel", "CambiumRecords"],
            swiftSettings: settings),
        .target(
            name: "CambiumMigration",
            dependencies: ["CambiumModel", "CambiumPlan", "CambiumSQL", "CambiumSQLite"],
            swiftSettings: settings),
        .target(
            name: "CambiumPostgresSQL",
            dependencies: [
                "CambiumModel", "CambiumRecords", "CambiumPlan", "CambiumSQL", "CambiumMigration",
            ],
            swiftSettings: settings),
        .target(
            name: "CambiumMaintenance",
            dependencies: [
                "CambiumModel", "CambiumPlan", "CambiumSQL", "CambiumSQLite", "CambiumMigration",
                "CambiumEngine",
            ],
            swiftSettings: settings),
        .target(
            name: "CambiumCompiler",
            dependencies: [
                "CLibXML2", "CambiumModel", "CambiumPlan", "CambiumSQL", "CambiumMigration",
                "CambiumPostgresSQL",
            ],
            swiftSettings: settings),
        .target(
            name: "CambiumAuthoring",
            dependencies: [
                "CambiumModel", "CambiumPlan", "CambiumSQL", "CambiumSQLite", "CambiumMigration",
                "CambiumPostgresSQL", "CambiumMaintenance", "CambiumCompiler",
            ],
            swiftSettings: settings),
        .target(
            name: "CambiumEngine",
            dependencies: ["CambiumModel", "CambiumRecords", "CambiumSQL", "CambiumMigration"],
            swiftSettings: settings),
        .target(
            name: "CambiumSQLiteStore",
            dependencies: [
                "CambiumModel", "CambiumRecords", "CambiumSQL", "CambiumSQLite",
                "CambiumMigration", "CambiumEngine",
            ],
            swiftSettings: settings),
        .target(
            name: "Cambium",
            dependencies: [
                "CambiumModel", "CambiumRecords", "CambiumSQL", "CambiumSQLite",
                "CambiumMigration", "CambiumEngine", "CambiumSQLiteStore",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "ObjectDump", dependencies: ["Cambium", "CambiumAuthoring"],
            swiftSettings: settings),
    ]
)
