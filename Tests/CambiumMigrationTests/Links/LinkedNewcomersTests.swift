import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// Links that objects get which come under a parent with a required relationship.
@Suite struct LinkedNewcomersTests {
    private typealias Store = TestStore

    /// What the parent is in the old version.
    enum Parent: CaseIterable {
        case known, new
    }

    private func project(_ relationship: String?, isToMany: Bool) -> Entity {
        Entity(
            name: "Project", attributes: [Store.string("name")],
            relationships: relationship.map {
                [
                    Relationship(
                        name: $0, destination: "Item", inverse: "project", isToMany: isToMany,
                        isOptional: true)
                ]
            } ?? [])
    }

    private let title = [Store.string("title")]

    private func old(_ parent: Parent, isToMany: Bool = true) -> Model {
        let item = Entity(
            name: "Item", attributes: title,
            relationships: [
                Relationship(
                    name: "project", destination: "Project", inverse: "items", isOptional: false)
            ])
        return Store.model(
            "1",
            (parent == .known ? [item] : []) + [
                Entity(name: "Task", attributes: title + [Store.string("place")]),
                project(parent == .known ? "items" : nil, isToMany: isToMany),
            ])
    }

    private func new(
        _ condition: ModelExpression?, isToMany: Bool = true, more: [Attribute] = []
    ) -> Model {
        Store.model(
            "2",
            [
                Entity(
                    name: "Item", attributes: title + more,
                    relationships: [
                        Relationship(
                            name: "project", destination: "Project", inverse: "items",
                            isOptional: false)
                    ]), Entity(name: "Task", parent: "Item", attributes: [Store.string("place")]),
                project("items", isToMany: isToMany),
            ],
            links: condition.map {
                [.init(entity: "Item", relationship: "project", condition: $0)]
            } ?? [], required: condition == nil ? [("Item", "project")] : [])
    }

    private func isNamed(_ name: ModelExpression) -> ModelExpression {
        .comparison(.keyPath(root: .subject, names: ["name"]), .equal, name, [])
    }

    private let inbox = ModelExpression.literal(.string("Inbox"))
    private let title1 = ModelExpression.keyPath(root: .variable("source"), names: ["title"])

    private func rows(_ parent: Parent) -> String {
        let items = """
            INSERT INTO Item (_id, title, project) VALUES (7, 'Inbox', 4);
            UPDATE _keys SET next = 33 WHERE entity = 'Item';
            """
        return """
            INSERT INTO Project (_id, name) VALUES (4, 'Home'), (5, 'Inbox');
            INSERT INTO Task (_id, title, place) VALUES (1, 'Home', 'here');
            """ + (parent == .known ? items : "")
    }

    @Test(arguments: Parent.allCases)
    func `they get the link that the author gives`(parent: Parent) throws {
        let found = try Store.migrate(
            old(parent), new(isNamed(inbox)), rows: rows(parent),
            query: "SELECT title, project FROM Item ORDER BY title, project")
        #expect(found == [["Home", "5"]] + (parent == .known ? [["Inbox", "4"]] : []))
    }

    @Test(arguments: Parent.allCases)
    func `the condition looks at what they were`(parent: Parent) throws {
        let found = try Store.migrate(
            old(parent), new(isNamed(title1)), rows: rows(parent),
            query: "SELECT project FROM Item WHERE _entity = 'Task'")
        #expect(found == [["4"]])
    }

    @Test(arguments: Parent.allCases)
    func `of one to one each gets another`(parent: Parent) throws {
        let found = try Store.migrate(
            old(parent, isToMany: false), new(isNamed(inbox), isToMany: false), rows: rows(parent),
            query: "SELECT project FROM Item WHERE _entity = 'Task'")
        #expect(found == [["5"]])
    }

    @Test func `a condition over what only some of them had is a problem`() {
        let place = ModelExpression.keyPath(root: .variable("source"), names: ["place"])
        let problems = ModelDifference(from: old(.known), to: new(isNamed(place))).problems
        #expect(problems.contains { $0.message.contains("$source than Item and Task all have") })
    }

    @Test func `an object that is refused is named by its old key`() throws {
        let (old, new) = (old(.known), new(nil))
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(rows(.known))
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
        guard case .refused(let refusal)? = error else { return }
        #expect(refusal.entity == "Task" && refusal.objects == [1])
    }

    @Test func `so is one that is found when the tables are together`() throws {
        let code = Attribute(name: "code", type: .int32, isOptional: true)
        func version(_ version: String, _ isTogether: Bool) -> Model {
            Store.model(
                version,
                [
                    Entity(
                        name: "Item", attributes: [code],
                        uniqueConstraints: isTogether
                            ? [UniqueConstraint(properties: ["code"])] : []),
                    isTogether
                        ? Entity(name: "Task", parent: "Item")
                        : Entity(name: "Task", attributes: [code]),
                ])
        }
        let (old, new) = (version("1", false), version("2", true))
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(
            """
            INSERT INTO Item (_id, code) VALUES (3, 1);
            UPDATE _keys SET next = 33 WHERE entity = 'Item';
            INSERT INTO Task (_id, code) VALUES (1, 2), (2, 2);
            """)
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
        guard case .refused(let refusal)? = error else { return }
        #expect(refusal.entity == "Task" && refusal.objects == [1, 2])
    }
}
