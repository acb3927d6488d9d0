import Foundation

/// A bundle of Cambium in a folder of its own. The folder is deleted with the object.
package final class BundleFolder {
    /// The folder of the bundle, in which tests can create other files.
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
