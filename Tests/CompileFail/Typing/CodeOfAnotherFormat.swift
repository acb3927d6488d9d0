@_spi(Generated) import Cambium

/// Generated code that another version of Cambium has written.
func format() -> GeneratedFormat {
    #if MISTAKE
        GeneratedFormat.f0000000  // error: run: swift package cambium generate
    #else
        GeneratedFormat.current
    #endif
}
