import CambiumModel

/// What a row of `Z_METADATA` says: a UUID and a property list.
struct CoreDataMetadata {
    private(set) var uuid: UUID?
    private(set) var identifiers: [String] = []
    private(set) var hashes: [String: Data] = [:]
    private(set) var notes: [String: String] = [:]
    private(set) var otherNotes: [String] = []

    init(_ row: [StoredValue]) {
        guard row.count == 2 else { return }
        if case .text(let text) = row[0] { uuid = UUID(uuidString: text) }
        if uuid == nil, row[0] != .null { otherNotes.append("Z_METADATA.Z_UUID") }
        guard case .blob(let bytes) = row[1], let list = BinaryPropertyList([UInt8](bytes)) else {
            if row[1] != .null { otherNotes.append("Z_METADATA.Z_PLIST") }
            return
        }
        for (name, value) in list.dictionary.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "NSStoreModelVersionIdentifiers":
                guard case .array(let members) = value else { continue }
                identifiers = members.compactMap { member in
                    if case .string(let text) = list.value(member) { text } else { nil }
                }
            case "NSStoreModelVersionHashes":
                guard case .dictionary(let pairs) = value else { continue }
                for (key, member) in pairs {
                    guard case .string(let entity) = list.value(key),
                        case .data(let hash) = list.value(member)
                    else { continue }
                    hashes[entity] = hash
                }
            case _ where name.hasPrefix("NS") || name.hasPrefix("_NS"):
                // What Core Data notes for itself.
                continue
            default: note(name, value)
            }
        }
    }

    private mutating func note(_ name: String, _ value: BinaryPropertyList.Value) {
        switch value {
        case .string(let text) where !text.utf8.contains(0): notes[name] = text
        case .integer(let number): notes[name] = "\(number)"
        case .real(let number): notes[name] = "\(number)"
        case .bool(let flag): notes[name] = "\(flag)"
        default: otherNotes.append(name)
        }
    }
}
