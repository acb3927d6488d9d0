// swift-tools-version: 6.1
import PackageDescription

// What a package looks like that has brought its model along from Core Data.
// Scripts/test-plugin.sh builds a copy of it, and says where Cambium is.
let package = Package(
    name: "Ported",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Cambium", path: Context.environment["CAMBIUM_PATH"] ?? "../../..")
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [.product(name: "Cambium", package: "Cambium")],
            // Xcode would compile the model for Core Data too. The plugin finds it all the same.
            exclude: ["Old Shop.xcdatamodeld"],
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")])
    ]
)
