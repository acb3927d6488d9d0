/// Reads rows out of the records of one format.
protocol ImportRowReader: AnyObject {
    /// Fields that no property has.
    var ignoredFields: [String] { get }

    /// Makes the rows that follow independent of the memory of those before.
    func beginSlice()

    /// The row of a record; nil for one that is none, as the names of the columns.
    ///
    /// - Throws: ``InputError`` where nothing can be made of the input.
    func row(_ entry: RecordBlock.Entry, of block: RecordBlock) throws -> ImportRow?
}

extension ExchangeFormat {
    /// What cuts an input of this format.
    func scanner(columnCount: Int?) throws -> any RecordScanner {
        switch self {
        case .json: JSONArrayScanner()
        case .jsonLines: LineScanner()
        case .csv: CSVScanner(separator: try separatorByte, columnCount: columnCount)
        }
    }

    /// What separates columns.
    var separatorByte: UInt8 {
        get throws {
            guard case .csv(let separator) = self else { return ASCII.comma }
            guard let byte = separator.asciiValue, byte != 0, byte != ASCII.quote,
                // One character, that is two bytes.
                byte != ASCII.lineFeed, byte != ASCII.carriageReturn
            else {
                throw StoreError(
                    code: .invalidRequest,
                    message: "The separator of the CSV format is not an ASCII character, or is a "
                        + "quote or a line end.",
                    remedy: "Use another one, such as a comma, a semicolon or a tab.")
            }
            return byte
        }
    }

    /// What separates the keys of a list within a column.
    static func listSeparator(_ separator: UInt8) -> UInt8 {
        separator == UInt8(ascii: ";") ? ASCII.comma : UInt8(ascii: ";")
    }
}
