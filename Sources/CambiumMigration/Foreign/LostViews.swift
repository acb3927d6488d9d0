import CambiumSQL
import CambiumSQLite

/// The views of other programs whose names a migration needs, and what works only with them: that
/// would go on with the model's table of the name. (A table of such a name is given another one, and
/// SQLite renames it in what uses it.)
struct LostViews {
    private let views: [StoreObject]
    private let with: ForeignTrial?
    private let without: ForeignTrial?

    /// Tries the store's own tables with them and without. Costs nothing where there are none.
    init(
        _ names: MigratedNames, _ own: [StoreObject], _ foreign: [StoreObject],
        _ virtualColumns: [String: [String]]
    ) throws(SQLiteError) {
        let lost = foreign.filter { $0.kind == .view && names.taken.contains($0.name.lowercased()) }
        views = lost
        guard !lost.isEmpty else {
            (with, without) = (nil, nil)
            return
        }
        let tables = own.map(\.sql)
        let others = foreign.filter { !lost.contains($0) }
        with = try ForeignTrial(of: tables, with: foreign, virtualColumns: virtualColumns)
        without = try ForeignTrial(of: tables, with: others, virtualColumns: virtualColumns)
    }

    /// The name of one that an object needs; nil for a trigger of one, which goes with it.
    func needed(by object: StoreObject) -> String? {
        guard !views.contains(where: { $0.name.lowercased() == object.table.lowercased() }),
            let with, let without, without.firstFailure(of: object, besides: with) != nil
        else {
            return nil
        }
        let words = object.words
        return (views.first { words.contains($0.name.lowercased()) } ?? views.first)?.name
    }
}
