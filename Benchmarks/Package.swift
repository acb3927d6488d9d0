// swift-tools-version: 6.1
import PackageDescription

// A nested package, so that users of Cambium never resolve or build it.

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Cambium", path: "..")],
    targets: [
        // The same work straight on the C library. It links the library that Cambium links, so both
        // sides run in one process on one SQLite.
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
        // Saves and reads on a server, beside the same work straight on libpq.
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
        // Conditions asked of objects in memory, beside Foundation's own evaluation.
        .executableTarget(
            name: "PredicateBenchmarks",
            dependencies: [.product(name: "Cambium", package: "Cambium")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        // Long lists that follow changes, without a C side.
        .executableTarget(
            name: "ControllerBenchmarks",
            dependencies: ["RawSQLite", .product(name: "Cambium", package: "Cambium")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        // A process of its own, as its memory is measured.
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
        // The same: a list that is much longer than what is in memory of it.
        .executableTarget(
            name: "MemoryBenchmarks",
            dependencies: ["RawSQLite", .product(name: "Cambium", package: "Cambium")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),
        // What blocked threads delay. Its model is made in code.
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
        // What a run of a program takes.
        .target(
            name: "ProgramRuns",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
        // Runs the tool on a store as Core Data writes it, beside SQLite's own copy of its tables.
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
