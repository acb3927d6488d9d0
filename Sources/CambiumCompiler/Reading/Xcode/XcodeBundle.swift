/// The files of a bundle of Xcode's beside its versions.
package enum XcodeBundle {
    /// The name of the file that names the current version.
    package static let currentVersionFile = ".xccurrentversion"

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
