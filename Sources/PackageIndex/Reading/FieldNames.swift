/// The field names that a reader keeps, compared byte by byte without making strings.
struct FieldNames {
    private let kept: [(bytes: [UInt8], name: String)]?

    /// Keeps these names (in lower case), or all if nil.
    init(_ names: [String]?) {
        kept = names.map { $0.map { (Array($0.utf8), $0) } }
    }

    /// The name in lower case, or nil if it is not kept.
    func name(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let kept else {
            return String(decoding: bytes.map(\.lowercased), as: UTF8.self)
        }
        return kept.first { candidate in
            candidate.bytes.count == bytes.count
                && zip(candidate.bytes, bytes).allSatisfy { $0 == $1.lowercased }
        }?.name
    }
}

extension UInt8 {
    /// The byte with an ASCII capital letter made small.
    fileprivate var lowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}
