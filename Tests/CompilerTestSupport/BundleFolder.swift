import Foundation

/// A bundle of Cambium's in a folder of its own, gone with the value.
package final class BundleFolder {
    /// Where the bundle is, and where others can be made beside it.
    package let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("cambium-\(UUID().uuidString)")
    /// The bundle's folder.
    package let bundle: URL

    /// Writes the files of a bundle.
    package init(_ files: [String: String], name: String = "Shop") throws {
        bundle = url.appendingPathComponent("\(name).cambium")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        for (name, text) in files {
            try Data(text.utf8).write(to: bundle.appendingPathComponent(name))
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
