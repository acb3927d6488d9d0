// swift-tools-version: 6.1
import PackageDescription

// The runtime against models of it, in a release build: what contexts do, and what lists tell.
// Scripts/test-long.sh runs it. A nested package, so that the runtime alone is optimized: all tests
// of Cambium would take far longer to be built than to run. Its modules and tests are those of
// Cambium, by links. The script writes the generated code that the folders Generated lead to.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .unsafeFlags(["-enable-testing"]),
]

let package = Package(
    name: "ModelBased",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq"),
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
        .target(
            name: "CambiumPostgresStore",
            dependencies: [
                "CPostgres", "CambiumModel", "CambiumRecords", "CambiumPlan", "CambiumSQL",
                "CambiumSQLite", "CambiumMigration", "CambiumPostgresSQL", "CambiumEngine",
            ],
            swiftSettings: settings),
        .target(
            name: "CambiumPostgres",
            dependencies: ["Cambium", "CambiumEngine", "CambiumPostgresStore"],
            swiftSettings: settings),
        .target(name: "EverythingModel", dependencies: ["Cambium"], swiftSettings: settings),
        .target(name: "ShopModel", dependencies: ["Cambium"], swiftSettings: settings),
        .target(name: "TestDummyModel", dependencies: ["Cambium"], swiftSettings: settings),
        .target(
            name: "CambiumCustomStores", dependencies: ["Cambium", "CambiumRecords"],
            swiftSettings: settings),
        .target(
            name: "CambiumEngineSpecification",
            dependencies: [
                "CPostgres", "Cambium", "CambiumCustomStores", "CambiumPostgres",
                "CambiumPostgresSQL", "CambiumModel", "CambiumEngine", "CambiumRecords",
                "CambiumSQL", "EverythingModel", "ShopModel",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ModelBasedTests",
            dependencies: [
                "Cambium", "CambiumEngineSpecification", "CambiumRecords", "CambiumSQL",
                "CambiumSQLite", "EverythingModel", "TestDummyModel",
            ],
            swiftSettings: settings),
    ]
)
