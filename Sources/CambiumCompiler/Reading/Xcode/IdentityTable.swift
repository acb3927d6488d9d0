/// The identities of the entities and properties of a version, independent of their names: in Xcode
/// the `elementID`, or else the name.
package struct IdentityTable {
    /// Things of one kind.
    package struct Names {
        private var identities: [String: String] = [:]
        private var names: [String: String] = [:]
        /// The names in the entities above and below. A property may move between these.
        private var relatives: [Names] = []

        /// This table, together with the tables of entities above and below.
        func besides(_ relatives: [Names]) -> Names {
            var names = self
            names.relatives = relatives
            return names
        }

        mutating func add(_ name: String, identity: String) {
            identities[name] = identity
            if names[identity] == nil { names[identity] = name }
        }

        /// The name in this version of an element of the next version. It is the name of the
        /// element with that identity, or else the same name, because an element keeps its name
        /// when its identity is removed.
        ///
        /// Two elements may have one identity, if a new one has the former name of an older one. In
        /// this case both names are compared.
        func oldName(of name: String, elementID: String?) -> String? {
            if let elementID {
                if identities[name] == elementID { return name }
                return names[elementID] ?? (identities[name] == nil ? nil : name)
                    ?? relatives.lazy.compactMap { $0.names[elementID] }.first
            }
            return identities[name] == nil ? names[name] : name
        }

        /// Whether an element still has its name and its explicit identity.
        func keeps(_ name: String, elementID: String) -> Bool { identities[name] == elementID }

        /// Whether a name is that of a thing here, and not of entities above and below alone.
        func has(_ name: String) -> Bool { identities[name] != nil }

        /// The identity of the element with that name in the next version.
        func identity(of name: String) -> String? {
            identities[name] ?? relatives.lazy.compactMap { $0.identities[name] }.first
        }
    }

    package private(set) var entities = Names()
    /// The properties, by the element that declares them and the entity.
    private var properties: [String: Names] = [:]
    private var parents: [String: String] = [:]

    /// The properties of an entity.
    ///
    /// - Parameters:
    ///   - kind: The element that declares them: an attribute was no relationship.
    ///   - relatives: The entities above and below it in the version after, by their names in this.
    package func properties(_ kind: String, of entity: String, relatives: [String]) -> Names {
        var others: [String] = []
        for name in [entity] + relatives {
            var next: String? = name
            while let ancestor = next, !others.contains(ancestor) {
                others.append(ancestor)
                next = parents[ancestor]
            }
        }
        func names(_ entity: String) -> Names? { properties["\(kind) \(entity)"] }
        let own = names(entity) ?? Names()
        return own.besides(others.filter { $0 != entity }.compactMap(names))
    }

    /// The entities above and below one, in a version with these parents of entities.
    package static func relatives(of entity: String, _ parents: [String: String]) -> [String] {
        func lineage(_ name: String) -> [String] {
            var lineage = [name]
            while let parent = parents[lineage[lineage.count - 1]], !lineage.contains(parent) {
                lineage.append(parent)
            }
            return lineage
        }
        guard !parents.isEmpty else { return [] }
        return lineage(entity).dropFirst()
            + parents.keys.ordered(by: <).filter { $0 != entity && lineage($0).contains(entity) }
    }

    mutating func addEntity(_ name: String, identity: String) {
        entities.add(name, identity: identity)
    }

    private mutating func addProperty(_ element: ParsedElement, of entity: String) {
        guard let name = element["name"]?.value else { return }
        properties["\(element.name) \(entity)", default: Names()].add(
            name, identity: element["elementID"]?.value ?? name)
    }

    private static let propertyNames: Set<String> = [
        "attribute", "relationship", "fetchedProperty",
    ]

    /// The identities of a version in Xcode's spelling.
    package init(xcode root: ParsedElement) {
        for entity in root.children(named: "entity") {
            guard let name = entity["name"]?.value else { continue }
            addEntity(name, identity: entity["elementID"]?.value ?? name)
            parents[name] = entity["parentEntity"]?.value
            for property in entity.children where Self.propertyNames.contains(property.name) {
                addProperty(property, of: name)
            }
        }
    }
}

/// The former names and identities of elements of one kind.
package struct IdentitySpelling {
    /// The elements of the same kind in the version before, or nil if there is none.
    let previous: IdentityTable.Names?
    /// The elementIDs of the same kind in this version.
    package var taken: Set<String>
    /// The former names in the migration, which need no second declaration.
    package let renames: [String: String]
    /// The elements of this version that kept their names and their explicit elementIDs.
    var kept: Set<String> = []
    /// The kept elements of the entities above and below, including unchanged elements without an
    /// elementID.
    var keptElsewhere: Set<String> = []

    /// Starts with the elements of the version before.
    package init(
        previous: IdentityTable.Names?, taken: Set<String> = [], renames: [String: String] = [:]
    ) {
        self.previous = previous
        self.taken = taken
        self.renames = renames
    }

    func setRenamedFrom(_ own: inout AttributeList, from xcode: AttributeList) {
        guard let name = xcode.value("name"),
            let old = former(of: name, elementID: xcode.value("elementID")),
            renames[name] != old, !isKept(old)
        else { return }
        own.set("renamedFrom", old, from: xcode["elementID"])
    }

    /// The former name of an element, according to its elementID; nil if it equals the name.
    private func former(of name: String, elementID: String?) -> String? {
        guard elementID != nil || !taken.contains(name),
            let old = previous?.oldName(of: name, elementID: elementID), old != name
        else { return nil }
        return old
    }

    private func isKept(_ old: String) -> Bool {
        previous?.has(old) == true ? kept.contains(old) : keptElsewhere.contains(old)
    }

    /// The original of an element that has the same elementID. The element is a copy made in Xcode,
    /// and so a new one.
    func original(of element: ParsedElement) -> String? {
        guard let name = element["name"]?.value, let id = element["elementID"]?.value,
            let old = former(of: name, elementID: id), isKept(old)
        else { return nil }
        return old
    }

    /// Records the elements of this version that are unchanged.
    func keeping(_ elements: [ParsedElement], elsewhere: [ParsedElement] = []) -> IdentitySpelling {
        guard let previous else { return self }
        var spelling = self
        func names(_ elements: [ParsedElement], saysNothing: Bool) -> Set<String> {
            Set(
                elements.compactMap { element -> String? in
                    guard let name = element["name"]?.value else { return nil }
                    let isKept =
                        element["elementID"].map { id in
                            previous.keeps(name, elementID: id.value)
                        } ?? saysNothing
                    return isKept ? name : nil
                })
        }
        spelling.kept = names(elements, saysNothing: false)
        spelling.keptElsewhere = names(elsewhere, saysNothing: true)
        return spelling
    }

    package func setElementID(_ xcode: inout AttributeList, from own: AttributeList) {
        guard let name = own.value("name") else { return }
        let old = own.value("renamedFrom") ?? renames[name] ?? name
        let identity = previous?.identity(of: old) ?? old
        // A new name must be written even if it is the identity, because a name alone declares a
        // new element.
        if identity != name || old != name {
            xcode.set("elementID", identity, from: own["renamedFrom"])
        }
    }
}
