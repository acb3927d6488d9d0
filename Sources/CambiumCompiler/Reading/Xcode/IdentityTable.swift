/// What the entities and properties of a version are, whatever they are called: in Xcode the
/// `elementID`, else the name.
struct IdentityTable {
    /// Things of one kind.
    struct Names {
        private var identities: [String: String] = [:]
        private var names: [String: String] = [:]

        mutating func add(_ name: String, identity: String) {
            identities[name] = identity
            if names[identity] == nil { names[identity] = name }
        }

        /// What it was called in this version: the thing of that identity, else, since a name
        /// stays what it is when the identity is dropped, that of the same name. Two things may
        /// have one identity, where a new one has the name that an older one had: then both names
        /// tell.
        func oldName(of name: String, elementID: String?) -> String? {
            if let elementID {
                if identities[name] == elementID { return name }
                return names[elementID] ?? (identities[name] == nil ? nil : name)
            }
            return identities[name] == nil ? names[name] : name
        }

        /// What the thing of that name is in the version after.
        func identity(of name: String) -> String? { identities[name] }
    }

    private(set) var entities = Names()
    private var properties: [String: Names] = [:]

    /// The properties of an entity.
    func properties(of entity: String) -> Names { properties[entity] ?? Names() }

    mutating func addEntity(_ name: String, identity: String) {
        entities.add(name, identity: identity)
    }

    mutating func addProperty(_ name: String, of entity: String, identity: String) {
        properties[entity, default: Names()].add(name, identity: identity)
    }

    private static let propertyNames: Set<String> = [
        "attribute", "relationship", "fetchedProperty",
    ]

    /// The identities of a version in Xcode's spelling.
    init(xcode root: ParsedElement) {
        for entity in root.children(named: "entity") {
            guard let name = entity["name"]?.value else { continue }
            addEntity(name, identity: entity["elementID"]?.value ?? name)
            for property in entity.children where Self.propertyNames.contains(property.name) {
                guard let own = property["name"]?.value else { continue }
                addProperty(own, of: name, identity: property["elementID"]?.value ?? own)
            }
        }
    }
}

/// Says what a thing was called before, and what it is.
struct IdentitySpelling {
    /// The things of the same kind in the version before, or nil where there is none.
    let previous: IdentityTable.Names?
    /// The elementIDs of the same kind in this version.
    var taken: Set<String> = []
    /// The old name that the migration gives, which needs no saying twice.
    var renames: [String: String] = [:]

    func setRenamedFrom(_ own: inout AttributeList, from xcode: AttributeList) {
        guard let name = xcode.value("name"), let previous else { return }
        let elementID = xcode.value("elementID")
        guard elementID != nil || !taken.contains(name),
            let old = previous.oldName(of: name, elementID: elementID),
            old != name, renames[name] != old
        else { return }
        own.set("renamedFrom", old, from: xcode["elementID"])
    }

    func setElementID(_ xcode: inout AttributeList, from own: AttributeList) {
        guard let name = own.value("name") else { return }
        let old = own.value("renamedFrom") ?? renames[name] ?? name
        let identity = previous?.identity(of: old) ?? old
        // A new name needs to be said even where it is the identity: a name alone is a new thing.
        if identity != name || old != name {
            xcode.set("elementID", identity, from: own["renamedFrom"])
        }
    }
}
