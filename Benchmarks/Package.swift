// swift-tools-version: 6.1
import PackageDescription

// A nested package, so that users of Cambium never resolve or build it.

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Cambium", path: "..")],
    targets: [
        // The same work directly on the C library. It links the library that Cambium links, so both
        // sides run in one process with the same SQLite.
        .target(name: "RawSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["RawSQLite", .product(name: "Cambium", package: "Cambium")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        .target(name: "RawPostgres", linkerSettings: [.linkedLibrary("pq")]),
        // Saves and reads on a server, and the same work directly on libpq.
        .executableTarget(
            name: "PostgresBenchmarks",
            dependencies: [
                "RawPostgres", .product(name: "CambiumPostgres", package: "Cambium"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        // Evaluates conditions on objects in memory, and compares with Foundation's evaluation.
        .executableTarget(
            name: "PredicateBenchmarks",
            dependencies: [.product(name: "Cambium", package: "Cambium")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        // Long lists that follow changes. There is no C side.
        .executableTarget(
            name: "ControllerBenchmarks",
            dependencies: ["RawSQLite", .product(name: "Cambium", package: "Cambium")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        // It is a separate process, because its memory is measured.
        .executableTarget(
            name: "ImportBenchmarks",
            dependencies: [
                "RawSQLite", .product(name: "Cambium", package: "Cambium"),
                .product(name: "CambiumExchange", package: "Cambium"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        // Also a separate process: a list that is much longer than its part in memory.
        .executableTarget(
            name: "MemoryBenchmarks",
            dependencies: ["RawSQLite", .product(name: "Cambium", package: "Cambium")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        // Measures the delay that blocked threads cause. Its model is built in code.
        .executableTarget(
            name: "ThreadBenchmarks",
            dependencies: ["RawSQLite", .product(name: "Cambium", package: "Cambium")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
        // Runs the tool on stores that it fills by hand, so it links nothing of the package.
        .executableTarget(
            name: "MigrationBenchmarks", dependencies: ["RawSQLite"],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
        // Measures a run of a program.
        .target(
            name: "ProgramRuns",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
        // Runs the tool on a store in Core Data's format, and compares with SQLite's copy of its
        // tables.
        .executableTarget(
            name: "CoreDataImportBenchmarks", dependencies: ["ProgramRuns", "RawSQLite"],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
        // Runs the tool as a build does, so it links nothing of the package.
        .executableTarget(
            name: "CompilerBenchmarks", dependencies: ["ProgramRuns"],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
    ]
)
