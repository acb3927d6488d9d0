/// The format of generated Swift: what the tool that writes it and the runtime agree on.
///
/// The name of its case is a hash of the accepted files of generated code. A test computes it, so that
/// it changes with whatever the tool writes. Code of another format does not compile: its text might
/// mean something else here, or nothing. The plugins have this file too, by a link, as they cannot
/// import a module: they tell a tool that was built before which format they expect.
@_spi(Generated)
@dynamicMemberLookup
public enum GeneratedFormat: String, Sendable {
    case fc4162b90

    /// The format of this Cambium.
    public static var current: GeneratedFormat { .fc4162b90 }

    /// Any other format. The compiler shows the message where generated code names one.
    @available(
        *, unavailable,
        message:
            "another version of Cambium generated this file; run: swift package cambium generate"
    )
    public static subscript(dynamicMember name: String) -> GeneratedFormat { current }
}
