import CambiumModel

/// The files that lie beside a store's own.
package enum StoreFiles {
    /// Gives a copy of a store the files of its large values. They are never changed, so that links
    /// will do; where the file system has none they are copied.
    package static func linkExternalFiles(ofStore path: String, to copy: String) throws {
        let files = FileManager.default
        let folder = ExternalForm.folder(ofStore: path)
        guard let names = try? files.contentsOfDirectory(atPath: folder) else { return }
        let target = ExternalForm.folder(ofStore: copy)
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        for name in names where !files.fileExists(atPath: "\(target)/\(name)") {
            do {
                try files.linkItem(atPath: "\(folder)/\(name)", toPath: "\(target)/\(name)")
            } catch {
                // A save may have removed it since the names were listed: no row leads there then.
                guard files.fileExists(atPath: "\(folder)/\(name)") else { continue }
                try files.copyItem(atPath: "\(folder)/\(name)", toPath: "\(target)/\(name)")
            }
        }
    }

    /// Removes the files of the large values of a store that was destroyed, or that another one
    /// replaced.
    ///
    /// - Parameter kept: Those that rows lead to now.
    package static func removeExternalFiles(ofStore path: String, except kept: Set<String> = []) {
        let files = FileManager.default
        let folder = ExternalForm.folder(ofStore: path)
        guard let names = try? files.contentsOfDirectory(atPath: folder) else { return }
        for name in names where !kept.contains(name) {
            try? files.removeItem(atPath: "\(folder)/\(name)")
        }
        // One that is not empty stays.
        if kept.isEmpty { try? files.removeItem(atPath: folder) }
    }

    /// The names of the files of a store's large values.
    package static func externalFiles(ofStore path: String) -> Set<String> {
        let folder = ExternalForm.folder(ofStore: path)
        return Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    }
}
