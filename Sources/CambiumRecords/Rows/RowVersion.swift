import CambiumModel

/// The number that tells whether a row is as somebody has read it: each save counts it up by one.
package enum RowVersion {
    /// The version that a row which was deleted is inserted again with: one that it never had. Those
    /// who have read the row in its former life know numbers that are far below, and take what it is
    /// now for a change. (Microseconds since 1970: a row that comes back twice has two.)
    package static var ofReinsertion: Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000_000)
    }
}
