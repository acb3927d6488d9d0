@_spi(Generated) import Cambium
import CambiumSQL

/// Lists of every shape: one-to-many and many-to-many with an order on one side or on both, without
/// an inverse, to the same entity, to a hierarchy.
enum OrderedModel {
    static let model = CompiledModel(
        model: value,
        classes: [
            "Album": Album.self, "Track": Track.self, "Mood": Mood.self, "Guest": Guest.self,
            "Shelf": Shelf.self, "Holding": Holding.self, "Volume": Volume.self, "Disc": Disc.self,
        ], schema: Schema(of: value).statements, migrations: [])

    static let value = Model(
        name: "Ordered", version: "1",
        entities: [
            Entity(
                name: "Album", attributes: [name("title")],
                relationships: [
                    list("tracks", "Track", "album"), list("moods", "Mood", "albums"),
                    list("guests", "Guest", "albums"), list("favourites", "Track", nil),
                    list("sequels", "Album", "prequel"), one("prequel", "Album", "sequels"),
                    list("related", "Album", "relatedFrom"),
                    list("relatedFrom", "Album", "related", isOrdered: false),
                    Relationship(
                        name: "queue", destination: "Track", isToMany: true, isOrdered: true,
                        isTransient: true),
                ]),
            Entity(
                name: "Track", attributes: [name("title")],
                relationships: [one("album", "Album", "tracks")]),
            Entity(
                name: "Mood", attributes: [name("name")],
                relationships: [list("albums", "Album", "moods", isOrdered: false)]),
            Entity(
                name: "Guest", attributes: [name("name")],
                relationships: [list("albums", "Album", "guests")]),
            Entity(
                name: "Shelf", attributes: [name("name")],
                relationships: [
                    Relationship(
                        name: "holdings", destination: "Holding", inverse: "shelf", isToMany: true,
                        maximumCount: 3, deleteRule: .cascade, isOrdered: true)
                ]),
            Entity(
                name: "Holding", isAbstract: true, attributes: [name("name")],
                relationships: [one("shelf", "Shelf", "holdings")]),
            Entity(name: "Volume", parent: "Holding"), Entity(name: "Disc", parent: "Holding"),
        ])

    private static func name(_ name: String) -> Attribute {
        Attribute(name: name, type: .string, defaultValue: .constant(.string("")))
    }

    private static func one(
        _ name: String, _ destination: String, _ inverse: String
    ) -> Relationship {
        Relationship(name: name, destination: destination, inverse: inverse)
    }

    private static func list(
        _ name: String, _ destination: String, _ inverse: String?, isOrdered: Bool = true
    ) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isToMany: true,
            isOrdered: isOrdered)
    }
}

final class Album: ManagedObject, EntityKeys {
    override class var entityName: String { "Album" }

    convenience init(in context: ManagedObjectContext, title: String = "") {
        self.init(insertingInto: context)
        self.title = title
    }

    var title: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    var tracks: OrderedToMany<Track> { orderedToMany(0) }
    var moods: OrderedToMany<Mood> { orderedToMany(1) }
    var guests: OrderedToMany<Guest> { orderedToMany(2) }
    var favourites: OrderedToMany<Track> { orderedToMany(3) }
    var sequels: OrderedToMany<Album> { orderedToMany(4) }
    var prequel: Album? {
        get { toOne(5) }
        set { setToOne(5, newValue) }
    }
    var related: OrderedToMany<Album> { orderedToMany(6) }
    var relatedFrom: ToMany<Album> { toMany(7) }
    var queue: OrderedToMany<Track> { orderedToMany(8) }
}

final class Track: ManagedObject, EntityKeys {
    override class var entityName: String { "Track" }

    convenience init(in context: ManagedObjectContext, title: String = "") {
        self.init(insertingInto: context)
        self.title = title
    }

    var title: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    var album: Album? {
        get { toOne(0) }
        set { setToOne(0, newValue) }
    }
}

final class Mood: ManagedObject, EntityKeys {
    override class var entityName: String { "Mood" }

    convenience init(in context: ManagedObjectContext, name: String = "") {
        self.init(insertingInto: context)
        self.name = name
    }

    var name: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    var albums: ToMany<Album> { toMany(0) }
}

final class Guest: ManagedObject, EntityKeys {
    override class var entityName: String { "Guest" }

    convenience init(in context: ManagedObjectContext, name: String = "") {
        self.init(insertingInto: context)
        self.name = name
    }

    var name: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    var albums: OrderedToMany<Album> { orderedToMany(0) }
}

final class Shelf: ManagedObject, EntityKeys {
    override class var entityName: String { "Shelf" }

    convenience init(in context: ManagedObjectContext, name: String = "") {
        self.init(insertingInto: context)
        self.name = name
    }

    var name: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    var holdings: OrderedToMany<Holding> { orderedToMany(0) }
}

class Holding: ManagedObject, EntityKeys {
    override class var entityName: String { "Holding" }

    var name: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    var shelf: Shelf? {
        get { toOne(0) }
        set { setToOne(0, newValue) }
    }
}

final class Volume: Holding {
    override class var entityName: String { "Volume" }

    convenience init(in context: ManagedObjectContext, name: String = "") {
        self.init(insertingInto: context)
        self.name = name
    }
}

final class Disc: Holding {
    override class var entityName: String { "Disc" }

    convenience init(in context: ManagedObjectContext, name: String = "") {
        self.init(insertingInto: context)
        self.name = name
    }
}
