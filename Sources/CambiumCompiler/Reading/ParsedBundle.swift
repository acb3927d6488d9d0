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
    /// What is declared beside the bundle about the steps between its versions.
    package let history: ParsedHistory?
    /// What becomes of what Xcode wrote in versions that have shipped.
    package let notes: [Diagnostic]

    /// Holds what was read.
    package init(
        name: String, path: String, versions: [ParsedModel], current: String? = nil,
        settings: BundleSettings = BundleSettings(), history: ParsedHistory? = nil,
        notes: [Diagnostic] = []
    ) {
        self.notes = notes
        self.name = name
        self.path = path
        self.versions = versions
        self.current = current ?? versions.last?.version
        self.settings = settings
        self.history = history
    }

    /// The versions up to the current one, oldest first, with what the settings and the history add
    /// to them: the ones that stores go through.
    package var chain: [ParsedModel] {
        let end = versions.firstIndex { $0.version == current } ?? versions.count - 1
        let chain = versions.prefix(end + 1).map(settings.applied)
        guard let history else { return chain }
        return chain.indices.map { index in
            let model = chain[index]
            let declared = history.migrations(to: model.version)
                .first { index > 0 && $0["from"]?.value == chain[index - 1].version }
            return declared.map { model.declaring($0, in: history.source) } ?? model
        }
    }

    /// The same with all versions in the chain: also those after the current one have stores.
    package var withLaterVersions: ParsedBundle {
        ParsedBundle(
            name: name, path: path, versions: versions, settings: settings, history: history,
            notes: notes)
    }

    /// A model's name for a file's.
    static func modelName(of file: String) -> String { Vocabulary.identifier(file, after: "Model") }
}
