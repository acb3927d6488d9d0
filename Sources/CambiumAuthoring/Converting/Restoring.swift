import CambiumCompiler
import Foundation

// Conversions that are only needed to write Xcode's files. The compiler reads these files and never
// writes them.

extension Spelling {
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
        if self.own(from: all).isEquivalent(to: meaning) { return all }
        // The value was changed since. Attributes that no longer fit are left out.
        var some = expected
        for attribute in kept {
            var candidate = some
            Self.apply(attribute, to: &candidate)
            if self.own(from: candidate).isEquivalent(to: meaning) { some = candidate }
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

extension XcodeNamespace {
    /// The attributes that represent more than one XML attribute.
    fileprivate static let structure: Set<String> = [userInfo, from, position, bundle]
}

extension AttributeList {
    /// The keys that turn `self`, taken from Xcode, into a list of Cambium's attributes.
    package func keys(toBecome own: AttributeList) -> [(key: String, value: String)] {
        var keys = own.items.filter { !$0.name.contains(":") && value($0.name) != $0.value }
            .map { (key: $0.name, value: $0.value) }
        let surplus = items.map(\.name).filter { own[$0] == nil }
        if !surplus.isEmpty {
            keys.append((Self.withoutKey, surplus.sorted().joined(separator: " ")))
        }
        return keys
    }
}

extension UserInfo {
    /// The keys for the `<suppress>` of an element.
    package static func suppressionKeys(of element: ParsedElement) -> [(key: String, value: String)]
    {
        element.children(named: "suppress").map {
            (suppression + ($0["code"]?.value ?? ""), $0["reason"]?.value ?? "")
        }
    }
}

extension ParsedElement {
    /// An element of Xcode.
    package init(xcode name: String, _ list: AttributeList, children: [ParsedElement] = []) {
        self.init(
            name: name, namespace: nil, offset: list.offset, attributes: list.items,
            children: children)
    }
}

extension EnumerationText {
    /// Takes an `<enum>`.
    package init(_ element: ParsedElement) {
        let cases = element.children(named: "case").map {
            Case(name: $0["name"]?.value ?? "", value: $0["value"]?.value)
        }
        self.init(
            name: element["name"]?.value ?? "", type: element["type"]?.value ?? "string",
            cases: cases)
    }

    /// The line.
    package var text: String {
        let items = cases.map { item in
            Self.word(item.name) + (item.value.map { "=" + Self.word($0) } ?? "")
        }
        return "\(name): \(items.joined(separator: ", "))"
    }

    private static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "_-.".contains($0) }
        guard !isPlain else { return text }
        let escaped = text.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}

extension XcodeBundle {
    /// The text of that file.
    package static func currentVersion(_ version: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>_XCCurrentVersionName</key>
        \t<string>\(XMLText.content(version)).xcdatamodel</string>
        </dict>
        </plist>

        """
    }
}

extension BundleSettings {
    /// The settings as a file for one bundle, or nil if there are none.
    package var json: String? {
        var object: [String: Any] = [:]
        object["access"] = access
        object["engines"] = engines
        object["current"] = current
        if keepsEarlierVersions { object["earlierVersions"] = true }
        if !versions.isEmpty { object["versions"] = versions }
        if !codegenOfEntities.isEmpty {
            object["codegen"] = codegenOfEntities
        } else {
            object["codegen"] = codegen
        }
        guard !object.isEmpty,
            let data = try? JSONSerialization.data(
                withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
        else { return nil }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
