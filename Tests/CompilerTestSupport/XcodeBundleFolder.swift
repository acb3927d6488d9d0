import CambiumAuthoring
import CambiumCompiler
import Foundation

/// A bundle of Xcode on disk. It is deleted with the object.
package final class XcodeBundleFolder {
    /// The folder of the bundle, in which tests can create other files.
    package let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("cambium-\(UUID().uuidString)")
    package var path: String { url.appendingPathComponent("Shop.xcdatamodeld").path }

    /// Writes versions named `Shop 1`, `Shop 2` and so on, each with the given content of its
    /// `<model>`.
    package init(_ versions: [String]) throws {
        for (index, content) in versions.enumerated() {
            let file = "Shop.xcdatamodeld/Shop \(index + 1).xcdatamodel/contents"
            try write("<model>\(content)</model>", to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes the converted bundle beside the other one, and returns its path.
    package func convert() throws -> String {
        for (path, contents) in ModelConverter.ownBundle(from: BundleReader.read(path).bundle) {
            try write(contents, to: path)
        }
        return url.appendingPathComponent("Shop.cambium").path
    }

    private func write(_ text: String, to path: String) throws {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
