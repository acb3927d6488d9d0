extension Help {
    /// The names of the topics, for people.
    static var topicNames: String { topics.map(\.name).joined(separator: ", ") }

    /// The topics of the help, besides the commands.
    static let topics: [(name: String, text: String)] = [
        (
            "model",
            """
            A model says what a program stores: entities with attributes and relationships.

                <model xmlns="urn:cambium:model:1" name="Library" version="1">
                  <entity name="Author">
                    <attribute name="name" type="string" minLength="1"/>
                    <relationship name="books" to="Book" inverse="author" many="true"
                                  onDelete="cascade"/>
                    <unique by="name"/>
                  </entity>
                  <entity name="Book">
                    <attribute name="title" type="string"/>
                    <attribute name="year" type="int32" min="0"/>
                    <relationship name="author" to="Author" inverse="books" optional="true"/>
                    <rule name="hasTitle" message="A book has a title">title != ''</rule>
                  </entity>
                </model>

            It is at Sources/<target>/Library.cambium/1.xml. The build generates a class for each
            entity:

                let author = Author(in: context, name: "Ada Stone")
                _ = Book(in: context, title: "On Trees", year: 1987, author: author)
                try context.save()

            Everything is required unless optional="true", and what is required is not optional in
            Swift. Relationships name their inverse. See also: cambium new Shop --example

            """
        ),
        (
            "versions",
            """
            Programs change what they store; stores of older programs have to follow.

            Until a version ships it is a draft: change it in its place. A store of the draft before is
            refused then, migrated or moved aside, as StoreOptions.draftPolicy says.

            1. Ship. Then: cambium version new Shop.cambium --freeze, and commit cambium.lock.
            2. Change what has to change in 2.xml, the copy of 1.xml that this has made.
            3. cambium check Shop.cambium. It asks for what it cannot know, with lines to choose
               from: was an attribute renamed or dropped? What do existing objects get?

                <attribute name="title" type="string" renamedFrom="name"/>
                <migration from="1">
                  <fill entity="Product" attribute="stock" with="0"/>
                  <drop entity="Legacy" reason="never shipped with data"/>
                </migration>

            4. cambium sql Shop.cambium --from 1 --to 2 shows what will run on your users' machines.
               The check has already run it, with rows, on a real SQLite; cambium migrate verify
               prints what it found about each step.
            5. cambium migrate rehearse shop.sqlite --model Shop.cambium tries it on a copy of a store.
               A store on a server has its URL there: postgresql://host/database#schema.
            6. cambium diff Shop.cambium shows what changed, and what that does to a store.
            7. cambium check-store shop.sqlite --model Shop.cambium finds what other programs have
               broken in a store: values, rules, links, lists and derived values.

            A warning that is meant as it is gets <suppress code="LQ201" reason="…"/>. The old files
            stay: there is a migration from every version that ever shipped.

            A bundle of Xcode that has shipped: cambium freeze --history Shop.xcdatamodeld writes
            once what its steps dropped, into Shop.history.xml beside it. Read it.

            """
        ),
        (
            "expressions",
            """
            Rules, conditions of indexes and requests, and fills are Core Data's predicate language,
            checked against the model when it is compiled.

                salePrice == nil OR salePrice < price       a rule
                stock > 0 AND category.name == $name        a request with a parameter
                ANY tags.label BEGINSWITH[c] 'new'          at least one of a to-many
                items.@count > 3 AND items.price.@sum < 100
                SUBQUERY(items, $i, $i.price > 3).@count == 0

            Logic has two values: nil equals only nil, and any other comparison with it is false. In
            XML, write &lt; for < and &amp; for &.

            """
        ),
    ]
}
