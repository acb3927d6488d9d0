/// The files of a bundle of Xcode's beside its versions.
package enum XcodeBundle {
    /// The name of the file that names the current version.
    package static let currentVersionFile = ".xccurrentversion"
}
