/// An item of several that were to be written together, which the store refuses.
struct RefusedItem: Error {
    let index: Int
    let underlying: any Error
}

/// Writes items, as many as possible at once; where some are refused, the others all the same.
///
/// What is written together with a refused one is taken back and written again, up to that one. The
/// next attempt is with one item, and with more and more while it goes well: so a refused item
/// costs little where all are, and next to nothing where few are.
///
/// - Parameters:
///   - goesOn: Whether there is to be another attempt after a refusal; if not, nothing is taken
///     back here.
///   - write: Writes items, and adds to what the caller knows only when it succeeds; throws
///     ``RefusedItem``.
///   - refused: Hears of the items that are left out.
func keepingGood<Item>(
    _ items: [Item], in transaction: any BatchTransaction, goesOn: Bool,
    write: (ArraySlice<Item>) throws -> Void, refused: (Item, any Error) throws -> Void
) throws {
    guard goesOn else {
        do {
            return try write(items[...])
        } catch let refusal as RefusedItem {
            return try refused(items[refusal.index], refusal.underlying)
        }
    }
    var start = 0
    var size = items.count
    while start < items.count {
        let segment = items[start..<min(start + size, items.count)]
        do {
            try transaction.savepoint { try write(segment) }
            start = segment.endIndex
            size = min(size * 4, items.count)
        } catch let refusal as RefusedItem {
            if refusal.index > 0 {
                size = refusal.index
            } else {
                try refused(items[start], refusal.underlying)
                start += 1
                size = 1
            }
        }
    }
}
