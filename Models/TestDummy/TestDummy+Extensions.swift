import Cambium

extension TestDummy {
    /// Inserts a dummy with the name and the parity that its number has.
    public convenience init(in context: ManagedObjectContext, number: Int64) {
        self.init(
            in: context, id: number, name: "Dummy \(number)", isEven: number.isMultiple(of: 2))
    }

    /// Whether ``isEven`` says the truth about ``id``; a scenario may set it against the truth to
    /// move an object in or out of a filter.
    public var isConsistent: Bool { isEven == id.isMultiple(of: 2) }
}
