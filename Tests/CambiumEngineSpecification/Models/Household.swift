import Cambium
import CambiumModel

/// A model with everything that a store can have wrong: limits of each kind, entities that inherit, links
/// of each shape, lists, derived and large values.
package enum Household {
    package static let model = CompiledModel(value)

    package static let value = Model(
        name: "Household", version: "1", entities: [person, author, robot, thing, passport, tag],
        enumerations: [
            Enumeration(
                name: "Mood", rawType: .string,
                cases: [
                    EnumerationCase(name: "good", rawValue: .string("good")),
                    EnumerationCase(name: "bad", rawValue: .string("bad")),
                ])
        ],
        composites: [
            Composite(
                name: "Address",
                attributes: [
                    .required("street", .string), .optional("city", .string),
                ])
        ])

    private static let person = Entity(
        name: "Person",
        attributes: [
            Attribute(
                name: "name", type: .string,
                limits: Limits(minimumLength: 1, maximumLength: 10, pattern: "[A-Za-z ]*")),
            Attribute(
                name: "age", type: .int32, isOptional: true,
                limits: Limits(minimum: .int(0), maximum: .int(150))),
            .optional("weight", .double),
            .optional("mood", .enumeration("Mood")),
            .optional("token", .uuid),
            .optional("notes", .codable("Notes")),
            .optional("address.street", .string), .optional("address.city", .string),
            Attribute(name: "photo", type: .data, isOptional: true, isExternal: true),
            Attribute(
                name: "thingCount", type: .int64, isOptional: true,
                derivation: .aggregate(.count, .keyPath(root: .subject, names: ["things"]))),
        ],
        compositeAttributes: [
            CompositeAttribute(name: "address", composite: "Address", isOptional: true)
        ],
        relationships: [
            Relationship(
                name: "friends", destination: "Person", inverse: "friends", isToMany: true),
            Relationship(name: "spouse", destination: "Person", inverse: "spouse"),
            Relationship(
                name: "rivals", destination: "Person", isToMany: true, minimumCount: 2,
                maximumCount: 2),
            Relationship(
                name: "things", destination: "Thing", inverse: "owner", isToMany: true,
                isOrdered: true),
            Relationship(
                name: "tags", destination: "Tag", inverse: "people", isToMany: true,
                isOrdered: true),
            Relationship(name: "passport", destination: "Passport", inverse: "holder"),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["name"])],
        rules: [
            Rule(
                name: "notThirteen",
                condition: .comparison(
                    .keyPath(root: .subject, names: ["age"]), .notEqual, .literal(.int(13)), []))
        ])

    private static let author = Entity(
        name: "Author", parent: "Person", attributes: [.optional("pen", .string)],
        relationships: [
            Relationship(name: "mentors", destination: "Author", isToMany: true),
            Relationship(name: "editor", destination: "Person"),
        ])

    private static let robot = Entity(
        name: "Robot", parent: "Person", attributes: [.required("serial", .string)])

    private static let thing = Entity(
        name: "Thing", attributes: [.optional("label", .string)],
        relationships: [
            Relationship(name: "owner", destination: "Person", inverse: "things")
        ])

    private static let passport = Entity(
        name: "Passport",
        relationships: [
            Relationship(
                name: "holder", destination: "Person", inverse: "passport", isOptional: false)
        ])

    private static let tag = Entity(
        name: "Tag", attributes: [.optional("label", .string)],
        relationships: [
            Relationship(name: "people", destination: "Person", inverse: "tags", isToMany: true),
            Relationship(name: "curator", destination: "Author"),
        ])

    /// Makes objects: Author/1, Robot/2, Person/3 and Author/4, Thing/1 and 2, Passport/1, Tag/1 and 2.
    /// The first two are friends and married, the first one has all the rest.
    package static func fill(_ context: ManagedObjectContext) throws {
        func make(_ entity: String, _ values: [String: Value]) throws -> ManagedObject {
            let object = try context.insertObject(ofEntity: entity)
            for (name, value) in values { try object.setValue(value, forKey: name) }
            return object
        }
        let ada = try make(
            "Author",
            [
                "name": .string("Ada"), "age": .int(36), "mood": .string("good"),
                "photo": .data(Data(repeating: 7, count: 150_000)), "weight": .double(60),
            ])
        let robot = try make("Robot", ["name": .string("Bolt"), "serial": .string("B 1")])
        _ = try make("Person", ["name": .string("Cato")])
        _ = try make("Author", ["name": .string("Dora")])
        let things = try (0..<2).map { _ in try make("Thing", [:]) }
        let tags = try (0..<2).map { _ in try make("Tag", [:]) }
        let passport = try make("Passport", [:])
        try ada.relatedObjects(forKey: "friends").insert(robot)
        try ada.setRelatedObject(robot, forKey: "spouse")
        try passport.setRelatedObject(ada, forKey: "holder")
        for thing in things { try ada.orderedRelatedObjects(forKey: "things").append(thing) }
        for tag in tags { try ada.orderedRelatedObjects(forKey: "tags").append(tag) }
        try tags[0].setRelatedObject(ada, forKey: "curator")
        try context.save()
    }

    /// What another program does to a store, in SQL that all engines understand, and what a check finds
    /// then: kind, object and property in words.
    package struct Damage: Sendable, CustomStringConvertible {
        package let sql: String
        package let findings: [String]
        package var description: String { sql }

        fileprivate init(_ sql: String, _ findings: String...) {
            self.sql = sql
            self.findings = findings
        }
    }

    /// Damage to values, which checks of the tables may have to be switched off for.
    package static let damagedValues = [
        Damage(
            #"UPDATE "Person" SET "serial" = NULL WHERE "_id" = 2"#, "missingValue Robot/2.serial"),
        Damage(#"UPDATE "Person" SET "age" = -1 WHERE "_id" = 1"#, "outOfRange Author/1.age"),
        Damage(#"UPDATE "Person" SET "age" = 151 WHERE "_id" = 3"#, "outOfRange Person/3.age"),
        Damage(#"UPDATE "Person" SET "name" = '' WHERE "_id" = 1"#, "wrongLength Author/1.name"),
        Damage(
            #"UPDATE "Person" SET "name" = 'abcdefghijk' WHERE "_id" = 2"#,
            "wrongLength Robot/2.name"),
        Damage(
            #"UPDATE "Person" SET "name" = 'x1' WHERE "_id" = 1"#, "patternMismatch Author/1.name"),
        Damage(#"UPDATE "Person" SET "mood" = 'odd' WHERE "_id" = 3"#, "unknownCase Person/3.mood"),
        Damage(
            #"UPDATE "Person" SET "notes" = '{' WHERE "_id" = 1"#, "unreadableValue Author/1.notes"),
        Damage(
            #"UPDATE "Person" SET "address_city" = 'Rome' WHERE "_id" = 1"#,
            "incompleteComposite Author/1.address"),
        Damage(
            #"UPDATE "Person" SET "age" = 13 WHERE "_id" = 2"#, "ruleViolated Robot/2.notThirteen"),
        Damage(
            #"UPDATE "Person" SET "thingCount" = 7 WHERE "_id" = 1"#,
            "staleValue Person/1.thingCount"),
        Damage(
            #"UPDATE "Person" SET "_entity" = 'Nobody' WHERE "_id" = 4"#,
            "unknownEntity Person/4"),
        Damage(#"UPDATE "_keys" SET "next" = 1 WHERE "entity" = 'Tag'"#, "keyCounter Tag"),
    ]

    /// Damage to links and lists, which foreign keys may have to be switched off for.
    package static let damagedLinks = [
        Damage(
            #"UPDATE "Passport" SET "holder" = 99 WHERE "_id" = 1"#,
            "danglingLink Passport/1.holder"),
        Damage(
            #"UPDATE "Tag" SET "curator" = 3 WHERE "_id" = 1"#, "wrongEntity Tag/1.curator"),
        Damage(
            #"UPDATE "Passport" SET "holder_entity" = 'Robot' WHERE "_id" = 1"#,
            "linkEntityDiffers Passport/1.holder"),
        Damage(
            #"UPDATE "Person" SET "editor" = 1, "editor_entity" = 'Author' WHERE "_id" = 2"#,
            "wrongEntity Robot/2.editor"),
        Damage(
            """
            INSERT INTO "Passport" ("_id", "_version", "holder", "holder_entity") \
            VALUES (0, 1, 1, 'Author')
            """, "severalPartners Passport/1.holder"),
        Damage(
            #"UPDATE "Person" SET "spouse" = NULL, "spouse_entity" = NULL WHERE "_id" = 2"#,
            "oneSidedLink Author/1.spouse"),
        Damage(
            #"DELETE FROM "Person_friends" WHERE "_source" = 2"#, "oneSidedLink Person/1.friends"),
        Damage(
            #"INSERT INTO "Author_mentors" ("_source", "_destination") VALUES (1, 99)"#,
            "danglingPair Author/1.mentors"),
        Damage(
            #"INSERT INTO "Author_mentors" ("_source", "_destination") VALUES (99, 1)"#,
            "danglingPair Author/99.mentors"),
        Damage(
            #"INSERT INTO "Author_mentors" ("_source", "_destination") VALUES (4, 3)"#,
            "wrongEntity Author/4.mentors"),
        Damage(
            #"INSERT INTO "Author_mentors" ("_source", "_destination") VALUES (2, 1)"#,
            "wrongEntity Author/2.mentors"),
        Damage(
            #"INSERT INTO "Person_rivals" ("_source", "_destination") VALUES (2, 1)"#,
            "tooFewLinks Robot/2.rivals"),
        Damage(
            """
            INSERT INTO "Person_rivals" ("_source", "_destination") VALUES (1, 1), (1, 2), (1, 3)
            """, "tooManyLinks Author/1.rivals"),
        Damage(
            #"UPDATE "Thing" SET "owner_position" = NULL WHERE "_id" = 2"#,
            "missingPlace Person/1.things"),
        Damage(
            #"UPDATE "Thing" SET "owner_position" = 5"#, "duplicatePlace Person/1.things"),
        Damage(
            #"UPDATE "Person_tags" SET "_source_position" = NULL WHERE "_destination" = 1"#,
            "missingPlace Person/1.tags"),
        Damage(
            #"UPDATE "Person_tags" SET "_source_position" = 5"#, "duplicatePlace Person/1.tags"),
    ]
}
