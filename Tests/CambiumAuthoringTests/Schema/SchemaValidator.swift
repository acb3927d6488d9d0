import CLibXML2
import Foundation

@testable import CambiumCompiler

/// Validates XML by the schema that ships, with libxml2: what an editor does.
final class SchemaValidator {
    private let schema: xmlSchemaPtr

    /// Reads the schema; nil where it is none.
    init?(_ text: String) {
        let bytes = Array(text.utf8CString)
        let context = bytes.withUnsafeBufferPointer { buffer in
            xmlSchemaNewMemParserCtxt(buffer.baseAddress, Int32(buffer.count - 1))
        }
        defer { xmlSchemaFreeParserCtxt(context) }
        // Safety: the parser reads the buffer in this call and keeps no pointer into it.
        guard
            let schema = bytes.withUnsafeBufferPointer({ _ in xmlSchemaParse(context) })
        else { return nil }
        self.schema = schema
    }

    deinit { xmlSchemaFree(schema) }

    /// Whether a document is valid.
    func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let options = Int32(XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue)
        let document = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                xmlReadMemory($0.baseAddress, Int32($0.count), nil, nil, options)
            }
        }
        guard let document else { return false }
        defer { xmlFreeDoc(document) }
        let context = xmlSchemaNewValidCtxt(schema)
        defer { xmlSchemaFreeValidCtxt(context) }
        return xmlSchemaValidateDoc(context, document) == 0
    }
}
