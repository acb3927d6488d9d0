/// The making of a store at another place, or of another kind, that has all that an open one has.
struct StoreMove {
    /// The new store.
    let description: StoreDescription
    private let source: any StoreEngine
    private let opener: any StoreOpening
    private let rows: MovedRows

    init(
        of store: PersistentStore, to location: StoreLocation, _ options: StoreOptions?,
        _ type: StoreType?, _ compiled: CompiledModel
    ) {
        var description = store.storeDescription
        description.location = location
        if let options { description.options = options }
        if let type {
            description.type = type
        } else if description.type == .memory, location.path != nil {
            description.type = .sqlite
        }
        self.description = description
        source = store.store
        opener =
            StoreOpenerFactory(
                description: description, compiled: compiled, roots: store.roots,
                migratesByDefault: true, source: store.location
            ).opener
        rows = MovedRows(
            source: source, roots: store.roots.sorted(), model: compiled.modelDescription)
    }

    /// Makes and opens the new store.
    ///
    /// - Throws: ``StoreLoadingError``; there is nothing new then.
    func open() throws(StoreLoadingError) -> any StoreEngine {
        do {
            return try source.opened(byCopyingTo: opener) ?? opener.open(filledWith: rows)
        } catch {
            throw StoreLoadingError(description, error)
        }
    }

    /// Takes a new store back that was opened in vain. What a store of the program's own has taken
    /// over stays with it.
    func undo() { opener.removeNewStore() }
}
