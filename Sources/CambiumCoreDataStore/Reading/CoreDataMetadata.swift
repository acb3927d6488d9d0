import CambiumModel

/// The content of the row of `Z_METADATA`: a UUID and a property list.
struct CoreDataMetadata {
    /// The store's UUID.
    private(set) var uuid: UUID?
    /// The names of the version that wrote it, as the model's author gave them.
    private(set) var identifiers: [String] = []
    /// The hash of each entity of the version that wrote it.
    private(set) var hashes: [String: Data] = [:]
    /// The program's own metadata in the store, if it is a string, a number or a Boolean.
    private(set) var notes: [String: String] = [:]
    /// The names of the program's other metadata.
    private(set) var otherNotes: [String] = []
    /// The names of Core Data's own metadata.
    private(set) var ownNotes: [String] = []

    private static let namesOfOwn: Set = [
        "NSStoreModelVersionIdentifiers", "NSStoreModelVersionHashes",
        "NSStoreModelVersionHashesVersion", "NSStoreModelVersionHashesDigest",
        "NSStoreModelVersionChecksumKey", "NSStoreType", "NSStoreUUID",
        "NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion",
        "_NSAutoVacuumLevel",
    ]
    /// The prefixes of CloudKit and its predecessor.
    private static let prefixesOfOwn = [
        "NSCloudKit", "NSPersistentCloudKit", "PFCloudKit", "com.apple.coredata.ubiquity.",
    ]

    /// Whether metadata is Core Data's own. A program's own names may begin with the same prefixes.
    private static func isOwn(_ name: String) -> Bool {
        namesOfOwn.contains(name) || prefixesOfOwn.contains { name.hasPrefix($0) }
    }

    init(_ rows: [[StoredValue]]) {
        if rows.count > 1 { otherNotes.append("Z_METADATA, the rows after the first") }
        guard let row = rows.first, row.count == 2 else { return }
        if case .text(let text) = row[0] { uuid = UUID(uuidString: text) }
        if uuid == nil, row[0] != .null { otherNotes.append("Z_METADATA.Z_UUID") }
        guard case .blob(let bytes) = row[1], let list = BinaryPropertyList([UInt8](bytes)) else {
            if row[1] != .null { otherNotes.append("Z_METADATA.Z_PLIST") }
            return
        }
        guard case .dictionary = list.root else {
            otherNotes.append("Z_METADATA.Z_PLIST")
            return
        }
        for (name, value) in list.dictionary.sorted(by: { $0.key < $1.key }) {
            guard Self.isOwn(name) else {
                note(name, value)
                continue
            }
            ownNotes.append(name)
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
            default: continue
            }
        }
    }

    private mutating func note(_ name: String, _ value: BinaryPropertyList.Value) {
        switch value {
        case .string(let text) where !text.utf8.contains(0): notes[name] = text
        case .integer(let number): notes[name] = "\(number)"
        case .unsigned(let number): notes[name] = "\(number)"
        case .real(let number): notes[name] = "\(number)"
        case .bool(let flag): notes[name] = "\(flag)"
        default: otherNotes.append(name)
        }
    }
}
