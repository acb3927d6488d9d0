extension Model {
    /// A hash of everything that affects how objects are stored. Two versions with equal hashes can
    /// read each other's stores. It has 64 hexadecimal digits and is computed again on each call.
    ///
    /// It is the SHA-256 of a text of the model. The hash does not depend on the names of the model
    /// and the version, the order of declarations, defaults, limits, rules, indexes, delete rules,
    /// fetch templates, cases of enumerations, or settings of the code generation.
    public var versionHash: String {
        SHA256.hexadecimal(of: canonicalText)
    }

    /// The text that ``versionHash`` is the hash of. One line per thing, each ended by a line feed,
    /// sorted by bytes within its block:
    ///
    /// ```
    /// cambium 1
    /// enum NAME TYPE
    /// entity NAME [: PARENT] [# MODIFIER]
    /// NAME.attribute NAME TYPE [optional] [transient] [external] [derived EXPRESSION] [# MODIFIER]
    /// NAME.relationship NAME one|many|ordered DESTINATION [<- INVERSE] [optional] [transient]
    ///     [# MODIFIER]
    /// NAME.unique PROPERTY[,PROPERTY…]
    /// ```
    ///
    /// TYPE is the type's name in the model language, a decimal with its scale (`decimal(2)`), an
    /// enumeration by its name. The text does not contain `optional` of a to-many, because that
    /// changes no table.
    package var canonicalText: String {
        let enums = enumerations.map { "enum \($0.name) \(canonicalName(of: $0.rawType))" }
        let blocks = entities.map { entity in (entity.name, canonicalLines(of: entity)) }
        let entityLines = blocks.ordered { bytewise($0.0, $1.0) }.flatMap(\.1)
        var text = "cambium 1\n"
        for line in enums.ordered(by: bytewise) + entityLines {
            text += line
            text += "\n"
        }
        return text
    }

    private func canonicalLines(of entity: Entity) -> [String] {
        let parent = Self.text(" : ", entity.parent)
        let attributes = entity.attributes.map { attribute in
            "\(entity.name).attribute \(attribute.name) \(canonicalName(of: attribute.type))"
                + (attribute.isOptional ? " optional" : "")
                + (attribute.isTransient ? " transient" : "")
                + (attribute.isExternal ? " external" : "")
                + Self.text(" derived ", attribute.derivation?.description)
                + modifier(attribute.hashModifier)
        }
        let relationships = entity.relationships.map { relationship in
            "\(entity.name).relationship \(relationship.name) "
                + "\(count(of: relationship)) \(relationship.destination)"
                + Self.text(" <- ", relationship.inverse)
                + (relationship.isOptional && !relationship.isToMany ? " optional" : "")
                + (relationship.isTransient ? " transient" : "")
                + modifier(relationship.hashModifier)
        }
        let uniques = entity.uniqueConstraints.map {
            "\(entity.name).unique \($0.properties.joined(separator: ","))"
        }
        return ["entity \(entity.name)\(parent)\(modifier(entity.hashModifier))"]
            + [attributes, relationships, uniques].flatMap { $0.ordered(by: bytewise) }
    }

    private func count(of relationship: Relationship) -> String {
        guard relationship.isToMany else { return "one" }
        return relationship.isOrdered ? "ordered" : "many"
    }

    /// The modifier may hold anything; a line holds no line feed but the one that ends it.
    private func modifier(_ text: String?) -> String {
        Self.text(" # ", text?.debugDescription)
    }

    private static func text(_ mark: String, _ text: String?) -> String {
        if let text { mark + text } else { "" }
    }

    private func canonicalName(of type: AttributeType) -> String {
        switch type {
        case .decimal(let scale): "decimal(\(scale))"
        case .codable: "codable"
        case .enumeration(let name): name
        default: type.caseName
        }
    }

    /// Swift compares strings by their canonical form; a hash needs one that no library changes.
    private func bytewise(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

/// The SHA-256 digest (FIPS 180-4), for hashes of versions: short texts, once per open.
package enum SHA256 {
    /// The digest of a text's UTF-8 bytes, as 64 hexadecimal digits.
    package static func hexadecimal(of text: String) -> String {
        hexadecimal(ofBytes: Array(text.utf8))
    }

    /// The digest of bytes, as 64 hexadecimal digits.
    package static func hexadecimal(ofBytes bytes: [UInt8]) -> String {
        digest(of: bytes).hexadecimal
    }

    /// The 32 bytes of the digest.
    package static func digest(of message: [UInt8]) -> [UInt8] {
        var state = initialState
        // Whole blocks are read in place; only the rest is copied, to be padded.
        let whole = message.count / 64 * 64
        compress(message, whole, into: &state)
        let rest = padded(message[whole...], of: message.count)
        compress(rest, rest.count, into: &state)
        return state.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    private static func padded(_ rest: ArraySlice<UInt8>, of count: Int) -> [UInt8] {
        let zeros = (119 - count % 64) % 64
        let bits = UInt64(count) * 8
        return Array(rest) + [0x80] + Array(repeating: 0, count: zeros)
            + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> $0) }
    }

    /// Adds whole blocks to the digest.
    ///
    /// A debug build of a tool hashes too, so this code is fast without optimisation: it uses no
    /// checked shifts, iterators or arrays. That makes it ten times as fast there.
    private static func compress(_ bytes: [UInt8], _ count: Int, into state: inout [UInt32]) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { buffer in
            bytes.withUnsafeBufferPointer { source in
                roundConstants.withUnsafeBufferPointer { constants in
                    // Safety: `start + 63` is less than `count`, and `count` is at most the number
                    // of bytes; there are 64 words and 64 constants.
                    guard let bytes = source.baseAddress, let words = buffer.baseAddress,
                        let constants = constants.baseAddress
                    else { return }
                    var start = 0
                    while start < count {
                        expand(bytes + start, into: words)
                        mix(words, constants, into: &state)
                        start &+= 64
                    }
                }
            }
        }
    }

    /// The 64 words of a block.
    ///
    /// Safety: the caller has 64 bytes and room for 64 words.
    private static func expand(
        _ block: UnsafePointer<UInt8>, into words: UnsafeMutablePointer<UInt32>
    ) {
        var index = 0
        while index < 16 {
            let bytes = block + index &* 4
            words[index] =
                UInt32(truncatingIfNeeded: bytes[0]) &<< 24
                | UInt32(truncatingIfNeeded: bytes[1]) &<< 16
                | UInt32(truncatingIfNeeded: bytes[2]) &<< 8
                | UInt32(truncatingIfNeeded: bytes[3])
            index &+= 1
        }
        while index < 64 {
            let first = words[index &- 15]
            let second = words[index &- 2]
            let small =
                (first &>> 7 | first &<< 25) ^ (first &>> 18 | first &<< 14) ^ first &>> 3
            let large =
                (second &>> 17 | second &<< 15) ^ (second &>> 19 | second &<< 13)
                ^ second &>> 10
            words[index] = words[index &- 16] &+ small &+ words[index &- 7] &+ large
            index &+= 1
        }
    }

    /// The 64 rounds of a block.
    ///
    /// Safety: the caller has 64 words and 64 constants.
    private static func mix(
        _ words: UnsafeMutablePointer<UInt32>, _ constants: UnsafePointer<UInt32>,
        into state: inout [UInt32]
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        var index = 0
        while index < 64 {
            let choice = e & f ^ ~e & g
            let majority = a & b ^ a & c ^ b & c
            let turnedE = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
            let turnedA = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
            let first = h &+ turnedE &+ choice &+ constants[index] &+ words[index]
            h = g
            g = f
            f = e
            e = d &+ first
            d = c
            c = b
            b = a
            a = first &+ turnedA &+ majority
            index &+= 1
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    private static let initialState: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    private static let roundConstants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
        0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
        0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
        0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
        0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
        0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
        0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
        0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension Sequence<UInt8> {
    /// Two hexadecimal digits for each byte.
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
