/// A place in JSON that has one value.
///
/// The common types have methods of their own: the decoder reads those without making a decoder for
/// the value first, as it does for a type that it does not know.
protocol JSONScalar {
    func decode(_ type: Bool.Type) throws -> Bool
    func decode(_ type: Int64.Type) throws -> Int64
    func decode(_ type: Float.Type) throws -> Float
    func decode(_ type: Double.Type) throws -> Double
    func decode(_ type: String.Type) throws -> String
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded
}

/// The value of a member of an object.
struct JSONMember: JSONScalar {
    let container: KeyedDecodingContainer<FieldName>
    let key: FieldName

    func decode(_ type: Bool.Type) throws -> Bool { try container.decode(type, forKey: key) }
    func decode(_ type: Int64.Type) throws -> Int64 { try container.decode(type, forKey: key) }
    func decode(_ type: Float.Type) throws -> Float { try container.decode(type, forKey: key) }
    func decode(_ type: Double.Type) throws -> Double { try container.decode(type, forKey: key) }
    func decode(_ type: String.Type) throws -> String { try container.decode(type, forKey: key) }

    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        try container.decode(type, forKey: key)
    }
}

/// A value by itself, such as an element of an array.
struct JSONElement: JSONScalar {
    let container: any SingleValueDecodingContainer

    func decode(_ type: Bool.Type) throws -> Bool { try container.decode(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try container.decode(type) }
    func decode(_ type: Float.Type) throws -> Float { try container.decode(type) }
    func decode(_ type: Double.Type) throws -> Double { try container.decode(type) }
    func decode(_ type: String.Type) throws -> String { try container.decode(type) }

    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        try container.decode(type)
    }
}
