import CambiumModel

/// Whole numbers and strings as a JSON array, which SQLite's `json_each` takes apart again.
struct JSONList {
    let text: String

    /// nil where there are others: JSON has no bytes, and a floating-point number might not come
    /// back as the very same.
    init?(_ values: [StoredValue]) {
        var text = "["
        for value in values {
            if text.utf8.count > 1 { text += "," }
            switch value {
            case .integer(let number): text += String(number)
            case .text(let string): Self.append(string, to: &text)
            case .null, .real, .blob: return nil
            }
        }
        self.text = text + "]"
    }

    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
