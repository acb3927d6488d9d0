/// One kind of element in both spellings.
///
/// Only the meaning is written down twice, once for each way. What Xcode's file says in a way that
/// would not come back from the meaning alone is found by going there and back, and is kept beside
/// it, in attributes of the namespace `urn:cambium:xcode:1`; in the other direction the same is
/// done with user info whose keys start with `cambium.`.
package protocol Spelling {
    /// Cambium's own attributes for Xcode's.
    func own(from xcode: AttributeList) -> AttributeList
    /// Xcode's attributes for Cambium's own.
    func xcode(from own: AttributeList) -> AttributeList
}

/// The words for what is kept of Xcode's spelling.
package enum XcodeNamespace {
    /// The namespace.
    package static let uri = "urn:cambium:xcode:1"
    /// The attribute that declares it.
    package static let declaration = "xmlns:xcode"
    /// The start of its names; no other prefix is understood.
    package static let prefix = "xcode:"
    /// The names of Xcode's attributes that are absent where one would expect them.
    package static let without = "xcode:without"
    /// An empty `<userInfo>`.
    package static let userInfo = "xcode:userInfo"
    /// How Xcode wrote an index that is no fetch index.
    package static let from = "xcode:from"
    /// The place of a fetch request among those of the model.
    package static let position = "xcode:position"
    /// The bundle's file name, where a model cannot have that name.
    package static let bundle = "xcode:bundle"
}

extension Spelling {
    /// Cambium's own attributes, and beside them what is particular to Xcode's.
    func translated(_ xcode: AttributeList) -> AttributeList {
        var own = own(from: xcode)
        let expected = self.xcode(from: own)
        // What is of another namespace is not Xcode's, and its prefix is not declared there.
        for attribute in xcode.items
        where !attribute.hasPrefix && expected.value(attribute.name) != attribute.value {
            own.set(XcodeNamespace.prefix + attribute.name, attribute.value, from: attribute)
        }
        let missing = expected.items.map(\.name).filter { xcode[$0] == nil }
        if !missing.isEmpty {
            own.set(XcodeNamespace.without, missing.sorted().joined(separator: " "))
        }
        return own
    }
}

extension ParsedAttribute {
    /// Whether the name has a prefix, so that it is of another namespace.
    package var hasPrefix: Bool { name.utf8.contains(UInt8(ascii: ":")) }
}
