import CambiumModel

extension SortTerm {
    /// What stands in ORDER BY.
    func sql(of value: SQLFragment) -> SQLFragment {
        value.mapText {
            Self.sql(
                $0, isDescending: isDescending, texts: texts, placesNilLast: placesNilLast)
        }
    }

    /// What stands in ORDER BY for one level of an order.
    static func sql(
        _ value: String, isDescending: Bool, texts: TextOrder, placesNilLast: Bool?
    ) -> String {
        var text = value
        if texts != .bytes {
            let name = SQLText.literal(.text(texts.name))
            text = "\(StoreFunction.sortKey.rawValue)(\(text), \(name))"
        }
        if isDescending { text += " DESC" }
        // SQLite takes NULL for the least value.
        if let placesNilLast, placesNilLast != isDescending {
            text += placesNilLast ? " NULLS LAST" : " NULLS FIRST"
        }
        return text
    }
}
