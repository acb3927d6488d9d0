// swift-tools-version: 6.1
import PackageDescription

// Coverage-guided fuzzing; Scripts/fuzz.sh runs it. A nested package, so that users of Cambium
// never resolve or build it. Its modules are those of Cambium, by links: all of them are to be
// instrumented, and `package` declarations are to be seen, which a dependency allows neither.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]),
]

let package = Package(
    name: "Fuzzing",
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
            name: "CambiumEngine",
            dependencies: ["CambiumModel", "CambiumRecords", "CambiumSQL", "CambiumMigration"],
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
        .target(name: "LibFuzzer"),
        .fuzzer(
            "FuzzXML",
            dependencies: [
                "LibFuzzer", "CambiumAuthoring", "CambiumCompiler", "CambiumMigration",
                "CambiumModel", "CambiumSQL",
            ]),
        .fuzzer(
            "FuzzExpression",
            dependencies: ["LibFuzzer", "CambiumModel", "CambiumSQL", "CambiumSQLite"]),
    ]
)

extension Target {
    /// A program that runs libFuzzer.
    static func fuzzer(_ name: String, dependencies: [Target.Dependency]) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(["-sanitize=fuzzer"]),
                // The default linker of Linux fails on the size of the tables (tried with gold).
                .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux])),
            ])
    }
}
