/// The versions of a model that could be read.
package struct ParsedBundle: Sendable {
    /// The model's name: the folder's without its extension, and with an underscore for every sign
    /// that a name cannot have.
    package let name: String
    /// The folder as it was given.
    package let path: String
    /// All versions, in their order.
    package let versions: [ParsedModel]
    /// The name of the current version, where it is known; it need not have been readable.
    package let current: String?
    /// What `cambium.json` says.
    package let settings: BundleSettings

    /// Holds what was read.
    package init(
        name: String, path: String, versions: [ParsedModel], current: String? = nil,
        settings: BundleSettings = BundleSettings()
    ) {
        self.name = name
        self.path = path
        self.versions = versions
        self.current = current ?? versions.last?.version
        self.settings = settings
    }

    /// The versions up to the current one, oldest first, with what the settings add to them: the
    /// ones that stores go through.
    package var chain: [ParsedModel] {
        let end = versions.firstIndex { $0.version == current } ?? versions.count - 1
        return versions.prefix(end + 1).map(settings.applied)
    }

    /// A model's name for a file's.
    static func modelName(of file: String) -> String {
        let signs = file.unicodeScalars.map { scalar in
            scalar.properties.isXIDContinue ? Character(scalar) : "_"
        }
        let name = String(signs)
        let first = name.unicodeScalars.first
        return first?.properties.isXIDStart == true ? name : "Model" + name
    }
}
