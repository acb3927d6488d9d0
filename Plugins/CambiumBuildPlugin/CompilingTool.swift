import Foundation
import PackagePlugin

/// The program that a plugin runs: the tool of this package, or one that was built before.
///
/// Where the environment has CAMBIUM_TOOL, the package's manifest leaves out that the plugins depend
/// on the tool, so that SwiftPM does not build it. Both plugins have this file, one of them by a link.
struct CompilingTool {
    /// The program.
    let url: URL
    /// Whether it was built before.
    let wasBuiltBefore: Bool

    private static let variable = "CAMBIUM_TOOL"

    /// Finds it, and says in the output of the build if it is none of the package's own.
    ///
    /// - Parameter name: The tool of this package.
    /// - Throws: Where the environment names no program.
    init(_ name: String, _ context: PluginContext) throws {
        guard let path = ProcessInfo.processInfo.environment[Self.variable] else {
            url = try context.tool(named: name).url
            wasBuiltBefore = false
            return
        }
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard path.hasPrefix("/"), isThere, !isFolder.boolValue,
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

    /// The arguments by which one that was built before refuses to write Swift of another format.
    var expectation: [String] {
        wasBuiltBefore ? ["--expects", GeneratedFormat.current.rawValue] : []
    }

    /// The environment names no program.
    private struct NoTool: Error, CustomStringConvertible {
        let reason: String
        var description: String { reason }
    }
}
