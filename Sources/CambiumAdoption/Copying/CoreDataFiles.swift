import CambiumModel

/// The files of the large values of a store that Core Data wrote.
struct CoreDataFiles {
    private let folders: [String]

    /// `Shop.sqlite` has `.Shop_SUPPORT/_EXTERNAL_DATA`.
    init(ofStore path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        let name = parts.last ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        folders = [stem, name].map { "\(folder).\($0)_SUPPORT/_EXTERNAL_DATA" }
    }

    /// The path of a file; nil where the name is none that Core Data gives.
    func path(of name: String) -> String? {
        guard UUID(uuidString: name) != nil else { return nil }
        let paths = folders.map { "\($0)/\(name)" }
        return paths.first { FileManager.default.fileExists(atPath: $0) } ?? paths.first
    }
}
