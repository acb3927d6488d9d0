import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// Objects that break a rule of the model and were imported.
struct InvalidObjectTests {
    @Test func `objects with too few or too many links stay and are named`() throws {
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(
                    name: "Post",
                    relationships: [
                        Relationship(
                            name: "tags", destination: "Tag", inverse: "post", isToMany: true,
                            isOptional: false, minimumCount: 1, maximumCount: 2),
                        Relationship(
                            name: "likes", destination: "Post", inverse: "likes", isToMany: true,
                            minimumCount: 2),
                    ]),
                Entity(
                    name: "Tag",
                    relationships: [
                        Relationship(name: "post", destination: "Post", inverse: "tags")
                    ]),
            ])
        let store = try OldStore(
            entities: [(1, "Post", 0, 4), (2, "Tag", 0, 4)],
            sql: """
                CREATE TABLE ZPOST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPOST INTEGER);
                CREATE TABLE Z_1LIKES (Z_1LIKES INTEGER, REFLEXIVE INTEGER);
                INSERT INTO ZPOST VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1);
                INSERT INTO ZTAG VALUES (1, 2, 1, 1), (2, 2, 1, 1), (3, 2, 1, 1), (4, 2, 1, 2);
                INSERT INTO Z_1LIKES VALUES (1, 2), (1, 3);
                """)
        let report = try store.importStore([model])
        #expect(
            report.invalidObjects.map { "\($0.entity) \($0.id).\($0.property): \($0.reason)" } == [
                "Post 1.tags: 3 objects; at most 2 are allowed",
                "Post 3.tags: 0 objects; at least 1 are needed",
                "Post 2.likes: 1 object; at least 2 are needed",
                "Post 3.likes: 1 object; at least 2 are needed",
            ])
        // Nothing of them is lost.
        #expect(report.isComplete && report.objects == 7)
        #expect(report.text.contains("Post 1.tags: 3 objects"))
    }
}
