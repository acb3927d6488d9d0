/// The bytes that formats are made of. Inlinable: scanners compare each byte of a file with them.
package enum ASCII {
    package static var tab: UInt8 { UInt8(ascii: "\t") }
    package static var lineFeed: UInt8 { UInt8(ascii: "\n") }
    package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
    package static var space: UInt8 { UInt8(ascii: " ") }
    package static var quote: UInt8 { UInt8(ascii: "\"") }
    package static var backslash: UInt8 { UInt8(ascii: "\\") }
    package static var comma: UInt8 { UInt8(ascii: ",") }
}
