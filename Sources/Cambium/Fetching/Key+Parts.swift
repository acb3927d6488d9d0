extension Key {
    /// The key of a part of a composite value, by the names on the way to it. Called by generated
    /// code.
    @_spi(Generated)
    public init(part path: [String]) {
        self.init(path: path)
    }
}
