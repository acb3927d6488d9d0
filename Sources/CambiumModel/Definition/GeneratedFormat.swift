/// The format of generated Swift. The tool that writes the code and the runtime must agree on it.
///
/// The name of its case is a hash of the accepted files of generated code. A test computes it, so
/// it changes when the output of the tool changes. Code of another format does not compile, because
/// its text might have another meaning here or none. The plugins contain this file too, as a link,
/// because they cannot import a module. They pass the expected format to a tool that was built
/// earlier.
@_spi(Generated)
@dynamicMemberLookup
public enum GeneratedFormat: String, Sendable {
    case fbf4650a6

    /// The format of this Cambium.
    public static var current: GeneratedFormat { .fbf4650a6 }

    /// Any other format. The compiler shows the message if generated code names one.
    @available(
        *, unavailable,
        message:
            "another version of Cambium generated this file; run: swift package cambium generate"
    )
    public static subscript(dynamicMember name: String) -> GeneratedFormat { current }
}
