// swift-tools-version: 6.1
import PackageDescription

// What a user's package looks like. Scripts/test-plugin.sh builds a copy of it, and says where
// Cambium is.
let package = Package(
    name: "Shop",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Cambium", path: Context.environment["CAMBIUM_PATH"] ?? "../../..")
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [.product(name: "Cambium", package: "Cambium")],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")])
    ]
)
