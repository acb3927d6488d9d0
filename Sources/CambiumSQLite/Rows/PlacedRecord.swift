/// A record together with the page that keeps it alive.
public struct PlacedRecord: @unchecked Sendable {
    // Safety: see `RowPage`: who hands a record on does not write it any more.
    /// The page.
    package var page: RowPage
    /// The record in it.
    package var record: Record

    package init(page: RowPage, record: Record) {
        self.page = page
        self.record = record
    }
}
