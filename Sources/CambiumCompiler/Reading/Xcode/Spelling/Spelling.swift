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
    /// What stands for more than an XML attribute.
    static let structure: Set<String> = [userInfo, from, position, bundle]
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

    /// Xcode's attributes as they once were, as far as that still means the same.
    package func restored(_ own: AttributeList) -> AttributeList {
        let plain = AttributeList(own.items.filter { !$0.hasPrefix }, at: own.offset)
        let expected = xcode(from: plain)
        let kept = own.items.filter {
            $0.name.hasPrefix(XcodeNamespace.prefix)
                && !XcodeNamespace.structure.contains($0.name)
        }
        guard !kept.isEmpty else { return expected }
        var all = expected
        for attribute in kept { Self.apply(attribute, to: &all) }
        let meaning = self.own(from: expected)
        if self.own(from: all).saysTheSame(as: meaning) { return all }
        // Someone has changed the value since. What no longer fits is left out.
        var some = expected
        for attribute in kept {
            var candidate = some
            Self.apply(attribute, to: &candidate)
            if self.own(from: candidate).saysTheSame(as: meaning) { some = candidate }
        }
        return some
    }

    private static func apply(_ attribute: ParsedAttribute, to list: inout AttributeList) {
        if attribute.name == XcodeNamespace.without {
            for name in attribute.value.split(separator: " ") { list.remove(String(name)) }
        } else {
            let name = String(attribute.name.dropFirst(XcodeNamespace.prefix.count))
            list.set(name, attribute.value, from: attribute)
        }
    }
}

extension ParsedAttribute {
    /// Whether the name has a prefix, so that it is of another namespace.
    fileprivate var hasPrefix: Bool { name.utf8.contains(UInt8(ascii: ":")) }
}
