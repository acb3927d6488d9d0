import CambiumEngine
import CambiumMigration

/// The file of a store that is being made: it is there as a whole, with the files of its large
/// values, or not at all.
struct NewStoreFile {
    let path: String
    /// Who may read the store that it is made of; nil where that is in no file.
    let permissions: StorePermissions?

    /// - Parameter source: The path of the store that it is made of.
    init(path: String, from source: String?) {
        self.path = path
        permissions = source.flatMap(StorePermissions.init(ofFile:))
    }

    /// Makes the file.
    ///
    /// - Parameter write: Writes it, an empty one, at another place, from which it is moved to its
    ///   own, and the files of its large values beside that.
    /// - Throws: ``StoreError`` where there is a file already, where another process makes the store,
    ///   or where it cannot be written; what the body throws.
    func make(_ write: (_ unfinished: String, _ files: ExternalFiles) throws -> Void) throws {
        try StoreLocation.requireFile(path)
        do {
            let place = try NewStore(copyTo: path, allowing: permissions)
            try place.prepare(makesFolder: false)
            do {
                try place.makeFile()
                try reportingFiles { try write(place.unfinished, place.files) }
                try place.finish()
            } catch {
                place.remove()
                throw error
            }
        } catch let error as NewStoreError {
            throw StoreError(error)
        }
    }

    /// Takes everything back that was made.
    func remove() {
        StoreFiles.removeDatabase(path)
        ExternalFiles(ofStore: path).removeAll()
    }
}

extension StoreError {
    /// Why there is no new store.
    fileprivate init(_ error: NewStoreError) {
        switch error {
        case .exists(let path):
            self.init(
                code: .invalidRequest,
                message: "A file exists at \(path).",
                remedy: "Remove it, or replace it with replacePersistentStore(at:withStoreFrom:).")
        case .isRunning(let path):
            self.init(
                code: .invalidRequest,
                message: "Another process or task is copying a store to \(path).",
                remedy: "Wait until it has finished.")
        case .cannotWrite(let path, let reason):
            self.init(
                code: .cannotOpen, message: "\(path) cannot be written: \(reason).",
                remedy: "Choose a place with room where you may write.")
        }
    }
}
