// swift-tools-version: 6.1
import PackageDescription

// The targets stand in the order of the data flow; every arrow of the architecture is a dependency
// here and nothing else is (Scripts/check-imports.sh compares imports with this list).

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

// A tool that was built before: where the environment has CAMBIUM_TOOL, the plugins run the program of
// that path. SwiftPM builds this package's own wherever a plugin depends on it, even if it is not run.
func tool(_ name: String) -> [Target.Dependency] {
    Context.environment["CAMBIUM_TOOL"] == nil ? [.target(name: name)] : []
}

let package = Package(
    name: "Cambium",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Cambium", targets: ["Cambium"]),
        .library(name: "CambiumExchange", targets: ["CambiumExchange"]),
        .library(name: "CambiumMigrationCommand", targets: ["CambiumMigrationCommand"]),
        .library(name: "CambiumCoreData", targets: ["CambiumCoreData"]),
        .library(name: "CambiumCustomStores", targets: ["CambiumCustomStores"]),
        .library(name: "CambiumPostgres", targets: ["CambiumPostgres"]),
        .library(name: "CambiumNotificationCenter", targets: ["CambiumNotificationCenter"]),
        // One product for each tool, of the target's own name: SwiftPM's next build system finds the
        // tool of a plugin only so.
        .executable(name: "CambiumGenerator", targets: ["CambiumGenerator"]),
        .executable(name: "CambiumTool", targets: ["CambiumTool"]),
        .executable(name: "package-index", targets: ["PackageIndexProgram"]),
        .executable(name: "package-index-postgres", targets: ["PackageIndexPostgres"]),
        .plugin(name: "CambiumBuildPlugin", targets: ["CambiumBuildPlugin"]),
        .plugin(name: "CambiumCommandPlugin", targets: ["CambiumCommandPlugin"]),
    ],
    traits: [
        .trait(
            name: "PostgreSQL",
            description: "The command line tool works on PostgreSQL servers too, over libpq.")
    ],
    targets: [
        // The system's libraries
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),

        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

        // Shared by build time and run time
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
        // The words of PostgreSQL, without a connection to a server
        .target(
            name: "CambiumPostgresSQL",
            dependencies: [
                "CambiumModel", "CambiumRecords", "CambiumPlan", "CambiumSQL", "CambiumMigration",
            ],
            swiftSettings: settings),

        // Stores
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

        // Build time
        .target(
            name: "CambiumCompiler",
            dependencies: [
                "CLibXML2", "CambiumModel", "CambiumPlan", "CambiumSQL", "CambiumMigration",
                "CambiumPostgresSQL",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "CambiumGenerator", dependencies: ["CambiumCompiler"], swiftSettings: settings),
        .plugin(
            name: "CambiumBuildPlugin", capability: .buildTool(),
            dependencies: tool("CambiumGenerator")),

        // What people have besides, which no build of a package with models compiles
        .target(
            name: "CambiumMaintenance",
            dependencies: [
                "CambiumModel", "CambiumPlan", "CambiumSQL", "CambiumSQLite", "CambiumMigration",
                "CambiumEngine",
            ],
            swiftSettings: settings),
        .target(
            name: "CambiumChecking",
            dependencies: [
                "CambiumModel", "CambiumRecords", "CambiumMigration", "CambiumEngine",
                "CambiumMaintenance",
            ],
            swiftSettings: settings),
        .target(
            name: "CambiumAuthoring",
            dependencies: [
                "CambiumModel", "CambiumPlan", "CambiumSQL", "CambiumSQLite", "CambiumMigration",
                "CambiumPostgresSQL", "CambiumMaintenance", "CambiumCompiler",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "CambiumTool",
            dependencies: [
                "CambiumModel", "CambiumRecords", "CambiumSQL", "CambiumMigration", "CambiumEngine",
                "CambiumSQLiteStore", "CambiumCompiler", "CambiumMaintenance", "CambiumAuthoring",
                "CambiumChecking", "CambiumCoreDataStore",
                .target(name: "CambiumPostgresStore", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings),
        .plugin(
            name: "CambiumCommandPlugin",
            capability: .command(
                intent: .custom(
                    verb: "cambium",
                    description: "Make, check, format, convert, draw and document models")),
            dependencies: tool("CambiumTool")),

        // Run time
        .target(
            name: "Cambium",
            dependencies: [
                "CambiumModel", "CambiumRecords", "CambiumSQL", "CambiumSQLite",
                "CambiumMigration", "CambiumEngine", "CambiumSQLiteStore",
            ],
            swiftSettings: settings),

        .target(
            name: "CambiumNotificationCenter", dependencies: ["Cambium"], swiftSettings: settings),

        // Files of objects, as JSON and CSV: for programs that import or export them
        .target(
            name: "CambiumExchange",
            dependencies: ["Cambium", "CambiumRecords", "CambiumSQLiteStore"],
            swiftSettings: settings),

        // The command of a program for its own stores: `status`, `plan`, `apply` and others
        .target(
            name: "CambiumMigrationCommand",
            dependencies: [
                "Cambium", "CambiumMigration", "CambiumMaintenance", "CambiumChecking",
            ],
            swiftSettings: settings),

        // Stores that a program reads and writes itself, in any form
        .target(
            name: "CambiumCustomStores", dependencies: ["Cambium", "CambiumRecords"],
            swiftSettings: settings),

        // Stores on a server, over libpq
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

        // Stores that Core Data wrote: for programs that import them, and for the tool
        .target(
            name: "CambiumCoreDataStore",
            dependencies: [
                "CambiumModel", "CambiumPlan", "CambiumSQL", "CambiumSQLite", "CambiumMigration",
                "CambiumMaintenance",
            ],
            swiftSettings: settings),
        .target(
            name: "CambiumCoreData", dependencies: ["Cambium", "CambiumCoreDataStore"],
            swiftSettings: settings),

        // Models of the tests and the demo, compiled by the build plugin like those of any user
        .model("TestDummyModel", path: "Models/TestDummy"),
        .model("ShopModel", path: "Models/Shop"),
        .model("PackagesModel", path: "Models/Packages"),
        .model("FirstPackagesModel", path: "Models/FirstPackages"),
        .model("EverythingModel", path: "Models/Everything"),
        .model("ExtendedModel", path: "Models/Extended"),
        .model("ContactsModel", path: "Models/Stepped"),
        .model("TimesModel", path: "Models/Times"),

        // The demo: with SQLite, and with PostgreSQL beside it
        .target(
            name: "PackageIndex", dependencies: ["Cambium", "PackagesModel", "FirstPackagesModel"],
            resources: [.embedInCode("Excerpt/packages.deb822")], swiftSettings: settings),
        .executableTarget(
            name: "PackageIndexProgram", dependencies: ["PackageIndex"], swiftSettings: settings),
        .executableTarget(
            name: "PackageIndexPostgres", dependencies: ["PackageIndex", "CambiumPostgres"],
            swiftSettings: settings),

        // What tests need: a file system that fails, a process that is killed, and those that
        // save at the same time
        .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
        .executableTarget(
            name: "CrashWorker",
            dependencies: [
                "CambiumMigration", "CambiumSQL", "CambiumSQLite", "CambiumModel", "FaultVFS",
            ],
            path: "Tests/CrashWorker", swiftSettings: settings),
        .executableTarget(
            name: "CounterWorker", dependencies: ["Cambium", "CambiumPostgres"],
            path: "Tests/CounterWorker", swiftSettings: settings),

        // What every engine must do: tests as a library, with an entry for each engine
        .target(
            name: "CambiumEngineSpecification",
            dependencies: [
                "CPostgres", "Cambium", "CambiumCustomStores", "CambiumPostgres",
                "CambiumPostgresSQL", "CambiumModel", "CambiumEngine", "CambiumRecords",
                "CambiumSQL", "EverythingModel", "ShopModel",
            ],
            path: "Tests/CambiumEngineSpecification", swiftSettings: settings),

        // Models for the tests of the compiler and of what people have besides
        .target(
            name: "CompilerTestSupport", dependencies: ["CambiumCompiler", "CambiumAuthoring"],
            path: "Tests/CompilerTestSupport", swiftSettings: settings),

        // Models and changes to them by chance, and a migration with a step of the program
        .target(
            name: "MigrationTestSupport",
            dependencies: ["CambiumModel", "CambiumSQL", "CambiumSQLite", "CambiumMigration"],
            path: "Tests/MigrationTestSupport", swiftSettings: settings),

        // Tests: one target for each module
        .testTarget(
            name: "CambiumModelTests", dependencies: ["CambiumModel"], swiftSettings: settings),
        .testTarget(
            name: "CambiumRecordsTests", dependencies: ["CambiumRecords", "CambiumModel"],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumEngineTests",
            dependencies: ["CambiumEngine", "CambiumRecords", "CambiumModel"],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumEngineSpecificationTests",
            dependencies: ["CambiumEngineSpecification", "Cambium"],
            exclude: ["SkippedSuites.txt"], swiftSettings: settings),
        .testTarget(
            name: "CambiumPostgresTests",
            dependencies: [
                "CambiumPostgres", "CambiumPostgresStore", "CambiumEngineSpecification", "Cambium",
                "CambiumExchange", "CambiumEngine", "CambiumMigration", "CambiumRecords",
                "CambiumSQL", "CambiumSQLite", "CambiumPostgresSQL", "CambiumPlan", "CambiumModel",
                "CambiumCompiler", "CambiumAuthoring", "CambiumTool", "EverythingModel",
                "ShopModel",
                "CounterWorker", "MigrationTestSupport", "CompilerTestSupport", "PackagesModel",
                "FirstPackagesModel", "ContactsModel", "CambiumMigrationCommand",
            ],
            exclude: ["Cases"], swiftSettings: settings),
        .testTarget(
            name: "CambiumPlanTests", dependencies: ["CambiumPlan", "CambiumModel"],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumSQLiteTests",
            dependencies: ["CambiumSQLite", "CambiumRecords", "CambiumModel"],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumSQLTests",
            dependencies: ["CambiumSQL", "CambiumSQLite", "CambiumPlan", "CambiumModel"],
            exclude: ["Cases"], swiftSettings: settings),
        .testTarget(
            name: "CambiumMigrationTests",
            dependencies: [
                "CambiumMigration", "CambiumMaintenance", "CambiumSQL", "CambiumSQLite",
                "CambiumPlan", "CambiumModel", "CrashWorker", "FaultVFS", "MigrationTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumCompilerTests",
            dependencies: [
                "CambiumCompiler", "CambiumAuthoring", "CompilerTestSupport", "CambiumMigration",
                "CambiumSQL", "CambiumSQLite", "CambiumPlan", "CambiumModel",
            ],
            exclude: ["Cases", "Histories"], swiftSettings: settings),
        .testTarget(
            name: "CambiumAuthoringTests",
            dependencies: [
                "CambiumAuthoring", "CambiumCompiler", "CompilerTestSupport", "CambiumMigration",
                "CambiumSQL", "CambiumSQLite", "CambiumPlan", "CambiumModel",
            ],
            exclude: ["Cases"], swiftSettings: settings),
        .testTarget(
            name: "CambiumCoreDataStoreTests",
            dependencies: [
                "CambiumCoreDataStore", "CambiumMigration", "CambiumSQL", "CambiumSQLite",
                "CambiumModel",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumToolTests",
            dependencies: [
                "CambiumTool", "CambiumCompiler", "CambiumAuthoring", "CambiumMigration",
                "CambiumSQLite", "CambiumModel", "CambiumEngine",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumTests",
            dependencies: [
                "Cambium", "CambiumExchange", "CambiumCoreData", "CambiumCustomStores",
                "CambiumMigrationCommand", "CambiumRecords", "CambiumPlan", "CambiumSQL",
                "CambiumSQLite", "CambiumEngine", "CambiumSQLiteStore", "CambiumAuthoring",
                "CambiumEngineSpecification",
                "TestDummyModel", "ShopModel", "PackagesModel", "FirstPackagesModel",
                "EverythingModel", "ExtendedModel", "ContactsModel", "TimesModel", "FaultVFS",
                "MigrationTestSupport",
            ],
            exclude: ["SQLiteTests.txt"], swiftSettings: settings),
        .testTarget(
            name: "OldStoreTests",
            dependencies: [
                "Cambium", "CambiumCompiler", "CambiumSQLite", "TestDummyModel", "ShopModel",
                "PackagesModel", "FirstPackagesModel", "EverythingModel", "ExtendedModel",
                "ContactsModel",
            ],
            exclude: ["Maker", "Stores.tar.gz"], swiftSettings: settings),
        .testTarget(
            name: "CambiumCoreDataTests",
            dependencies: ["CambiumCoreData", "CambiumSQL", "CambiumSQLite"],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumExchangeTests",
            dependencies: [
                "CambiumExchange", "CambiumSQLite", "CambiumEngineSpecification", "ShopModel",
                "ExtendedModel",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumCheckingTests",
            dependencies: [
                "CambiumMigrationCommand", "Cambium", "CambiumPostgres", "CambiumPostgresStore",
                "CambiumEngineSpecification", "CambiumChecking", "CambiumEngine", "CambiumSQLite",
                "CambiumTool", "CambiumCompiler",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CambiumNotificationCenterTests",
            dependencies: ["Cambium", "CambiumNotificationCenter", "EverythingModel"],
            swiftSettings: settings),
        .testTarget(
            name: "PackageIndexTests", dependencies: ["PackageIndex"], swiftSettings: settings),
    ]
)

extension Target {
    /// A target whose sources are a model and extensions of its classes.
    static func model(_ name: String, path: String) -> Target {
        .target(
            name: name, dependencies: ["Cambium"], path: path, swiftSettings: settings,
            plugins: ["CambiumBuildPlugin"])
    }
}
