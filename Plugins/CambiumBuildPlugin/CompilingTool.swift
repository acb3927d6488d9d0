import Foundation
import PackagePlugin

/// The program that a plugin runs: the tool of this package, or a prebuilt one.
///
/// If the environment variable CAMBIUM_TOOL is set, the package's manifest omits the dependency of
/// the plugins on the tool, so that SwiftPM does not build it. Both plugins use this file, one of
/// them through a link.
struct CompilingTool {
    /// The program.
    let url: URL
    /// Whether it was built before.
    let wasBuiltBefore: Bool

    private static let variable = "CAMBIUM_TOOL"

    /// Finds the program, and reports in the output of the build if it is a prebuilt one.
    ///
    /// - Parameter name: The tool of this package.
    /// - Throws: If CAMBIUM_TOOL does not name a program.
    init(_ name: String, _ context: PluginContext) throws {
        guard let path = ProcessInfo.processInfo.environment[Self.variable] else {
            url = try context.tool(named: name).url
            wasBuiltBefore = false
            return
        }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard path.hasPrefix("/"), exists, !isFolder.boolValue,
            FileManager.default.isExecutableFile(atPath: path)
        else {
            throw NoTool(
                reason:
                    "\(Self.variable) is '\(path)', which is not the absolute path of a program. "
                    + "Set it to that of a CambiumTool, or unset it to build one.")
        }
        url = URL(fileURLWithPath: path)
        wasBuiltBefore = true
        // SwiftPM shows no remarks.
        Diagnostics.warning("Cambium's tool is \(path), as \(Self.variable) says; none is built")
    }

    /// The arguments that make a prebuilt tool reject Swift of another format.
    var expectation: [String] {
        wasBuiltBefore ? ["--expects", GeneratedFormat.current.rawValue] : []
    }

    /// The environment names no program.
    private struct NoTool: Error, CustomStringConvertible {
        let reason: String
        var description: String { reason }
    }
}
