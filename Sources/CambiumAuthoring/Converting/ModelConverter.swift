import CambiumCompiler
import Foundation

/// Converts bundles of one kind into the other.
///
/// The conversion keeps all of the model. If Cambium's language has no word for a part, it stays in
/// attributes with the prefix `xcode:`. If Xcode has no word for a part, it becomes user info with
/// keys that start with `cambium.`. Xcode's diagram coordinates and comments are lost; XML of other
/// namespaces is not written to Xcode's files.
package enum ModelConverter {
    /// The files of a bundle in Cambium's format. Paths start with the bundle's folder.
    package static func ownBundle(
        from bundle: ParsedBundle
    ) -> [(path: String, contents: String)] {
        let folder = "\(bundle.name).cambium"
        let fileName = fileName(of: bundle)
        var files = bundle.versions.map { model in
            var root = model.root
            if model.format == .xcode, fileName != bundle.name {
                root.attributes.append(
                    ParsedAttribute(name: XcodeNamespace.bundle, value: fileName, at: root.offset))
            }
            // This declaration marks a version that came from Xcode, even if no name of the
            // namespace is used.
            if model.format == .xcode, root[XcodeNamespace.declaration] == nil {
                root.attributes.append(
                    ParsedAttribute(
                        name: XcodeNamespace.declaration, value: XcodeNamespace.uri,
                        at: root.offset))
            }
            let source = model.format == .cambium ? model.source : nil
            return (
                path: "\(folder)/\(model.version).xml",
                contents: XMLPrinter.print(root, source: source)
            )
        }
        files += settings(of: bundle, folder: folder, saysCurrent: true)
        return files
    }

    /// The files of an `.xcdatamodeld`. Paths start with the bundle's folder.
    package static func xcodeBundle(
        from bundle: ParsedBundle
    ) -> [(path: String, contents: String)] {
        let kept = bundle.versions.compactMap { $0.root[XcodeNamespace.bundle]?.value }.last
        let isXcode = bundle.versions.last?.format == .xcode
        let name = isXcode ? fileName(of: bundle) : kept ?? bundle.name
        let folder = "\(name).xcdatamodeld"
        var files: [(path: String, contents: String)] = []
        var previous: IdentityTable?
        for model in bundle.versions {
            let root = XcodeRestorer.restore(model.root, previous: previous)
            previous = IdentityTable(xcode: root)
            files.append(
                ("\(folder)/\(model.version).xcdatamodel/contents", XcodePrinter.print(root)))
        }
        if let current = bundle.current {
            files.append(
                (
                    "\(folder)/\(XcodeBundle.currentVersionFile)",
                    XcodeBundle.currentVersion(current)
                ))
        }
        files += settings(of: bundle, folder: folder, saysCurrent: false)
        return files
    }

    private static func fileName(of bundle: ParsedBundle) -> String {
        URL(fileURLWithPath: bundle.path).deletingPathExtension().lastPathComponent
    }

    /// The settings that the files themselves do not contain.
    private static func settings(
        of bundle: ParsedBundle, folder: String, saysCurrent: Bool
    ) -> [(path: String, contents: String)] {
        var settings = bundle.settings
        let versions = bundle.versions.map(\.version)
        settings.versions =
            versions == versions.sorted(by: VersionOrder.precedes) ? [] : versions
        let isLast = bundle.current == versions.last
        settings.current = saysCurrent && !isLast ? bundle.current : nil
        return settings.json.map { [("\(folder).json", $0)] } ?? []
    }
}
