/// A to-many relationship's value, whatever it leads to.
protocol ToManyValue {
    var owner: ManagedObject { get }
    var ordinal: Int { get }
    static func isCount(_ path: AnyKeyPath) -> Bool
    static func isEmptiness(_ path: AnyKeyPath) -> Bool
}

extension ToMany: ToManyValue {
    static func isCount(_ path: AnyKeyPath) -> Bool { path == \ToMany<Destination>.count }
    static func isEmptiness(_ path: AnyKeyPath) -> Bool { path == \ToMany<Destination>.isEmpty }
}

extension OrderedToMany: ToManyValue {
    static func isCount(_ path: AnyKeyPath) -> Bool { path == \OrderedToMany<Destination>.count }
    static func isEmptiness(_ path: AnyKeyPath) -> Bool {
        path == \OrderedToMany<Destination>.isEmpty
    }
}
