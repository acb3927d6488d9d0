import CambiumCompiler

// Codes 5xx: entities, relationships and configurations
extension Explanation {
    static let ofEntities: [Explanation] = [
        Explanation(
            .unknownEntity, title: "Unknown entity",
            meaning: """
                A relationship or an entity names an entity that the model does not declare.
                """,
            remedy: "Correct the name; the note names the nearest one.",
            wrong: """
                <entity name="Named" abstract="true"/>
                <entity name="Tag" parent="Nmaed">
                  <attribute name="label" type="string"/>
                </entity>
                """,
            right: """
                <entity name="Named" abstract="true"/>
                <entity name="Tag" parent="Named">
                  <attribute name="label" type="string"/>
                </entity>
                """),
        Explanation(
            .unknownInverse, title: "The other entity has no such relationship",
            meaning: """
                An inverse is a relationship of the destination entity. A relationship and its \
                inverse change together. The destination entity has no relationship of this name.
                """,
            remedy: """
                Correct the name of the inverse, or declare the relationship in the destination \
                entity.
                """,
            wrong: .shop(
                #"<relationship name="category" to="Category" inverse="product" optional="true"/>"#,
                #"<relationship name="products" to="Product" inverse="category" many="true"/>"#),
            right: .shop(
                #"<relationship name="category" to="Category" inverse="products" optional="true"/>"#,
                #"<relationship name="products" to="Product" inverse="category" many="true"/>"#)),
        Explanation(
            .inverseNotMutual, title: "The inverse belongs to another relationship",
            meaning: """
                Two relationships are inverses only if each names the other. Here, a relationship \
                names one that is already the inverse of a third relationship.
                """,
            remedy: "Declare an inverse for each relationship.",
            wrong: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products" optional="true"/>
                  <relationship name="shelf" to="Category" inverse="products" optional="true"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category" many="true"/>
                </entity>
                """,
            right: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products" optional="true"/>
                  <relationship name="shelf" to="Category" inverse="shelved" optional="true"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category" many="true"/>
                  <relationship name="shelved" to="Product" inverse="shelf" many="true"/>
                </entity>
                """),
        Explanation(
            .inheritanceCycle, title: "An entity inherits from itself",
            meaning: """
                The parents of the entity form a circle, so there is no root and no \
                table.
                """,
            remedy: "Remove the attribute parent from one of these entities.",
            wrong: """
                <entity name="Product" parent="Book">
                  <attribute name="sku" type="string"/>
                </entity>
                <entity name="Book" parent="Product"/>
                """,
            right: """
                <entity name="Product">
                  <attribute name="sku" type="string"/>
                </entity>
                <entity name="Book" parent="Product"/>
                """),
        Explanation(
            .missingInverse, title: "The relationship has no inverse",
            meaning: """
                Without an inverse, the two ends do not change together. If an object at the \
                destination is deleted, all rows are searched for links to it, and an object in \
                memory can still show the link.
                """,
            remedy: """
                Declare the inverse, even if the program does not use it, and name it on both \
                sides.
                """,
            wrong: .shop(
                #"<relationship name="category" to="Category" optional="true"/>"#,
                #"<attribute name="name" type="string"/>"#),
            right: .shop(
                #"<relationship name="category" to="Category" inverse="products" optional="true"/>"#,
                #"<relationship name="products" to="Product" inverse="category" many="true"/>"#)),
        Explanation(
            .laxRequirement, title: "A required to-many accepts an empty set",
            meaning: """
                For a to-many relationship, optional="false" sets no minimum, because existing \
                models of Core Data rely on this. A save accepts an object without any related \
                object.
                """,
            remedy: #"If an object needs at least one, write min="1". Otherwise omit optional."#,
            wrong: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products" optional="true"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category"
                                many="true" optional="false"/>
                </entity>
                """,
            right: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products" optional="true"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category"
                                many="true" min="1"/>
                </entity>
                """),
        Explanation(
            .deleteNeverSucceeds, title: "An object with links cannot be deleted",
            meaning: """
                The relationship has the delete rule nullify, and the link is required at the \
                other end. If an object with links is deleted, the save fails.
                """,
            remedy: """
                Write onDelete="cascade" to delete the objects at the other end, too, or \
                onDelete="deny" to forbid the deletion while the object has links. Or make the \
                other end optional.
                """,
            wrong: .shop(
                #"<relationship name="category" to="Category" inverse="products"/>"#,
                #"<relationship name="products" to="Product" inverse="category" many="true"/>"#),
            right: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category"
                                many="true" onDelete="deny"/>
                </entity>
                """),
        Explanation(
            .transientInverse, title: "One end of a relationship is transient",
            meaning:
                "The two ends of a relationship are one link: either both are stored or neither.",
            remedy: #"Write transient="true" at both ends or at none."#,
            wrong: """
                <entity name="Product">
                  <relationship name="rival" to="Product" inverse="rivals" optional="true"
                                transient="true"/>
                  <relationship name="rivals" to="Product" inverse="rival" many="true"/>
                </entity>
                """,
            right: """
                <entity name="Product">
                  <relationship name="rival" to="Product" inverse="rivals" optional="true"
                                transient="true"/>
                  <relationship name="rivals" to="Product" inverse="rival" many="true" transient="true"/>
                </entity>
                """),
        Explanation(
            .separatedEntities, title: "A configuration separates related entities",
            meaning: """
                A configuration can have a store of its own. A relationship to an entity outside \
                of the configuration, or a parent outside of the configuration, would need a link \
                from one file to another.
                """,
            remedy: """
                Add the other entity to the configuration, or remove this entity from the \
                configuration. To connect objects of two stores, use an attribute with an \
                identifier, and a fetched property.
                """,
            wrong: """
                <entity name="Named" abstract="true"/>
                <entity name="Tag" parent="Named">
                  <attribute name="label" type="string"/>
                </entity>
                <configuration name="Words" entities="Tag"/>
                """,
            right: """
                <entity name="Named" abstract="true"/>
                <entity name="Tag" parent="Named">
                  <attribute name="label" type="string"/>
                </entity>
                <configuration name="Words" entities="Tag Named"/>
                """),
        Explanation(
            .separatedInXcode, title: "A configuration of Xcode separates related entities",
            meaning: """
                A relationship references an entity outside of the configuration, or a parent is \
                not in it. Core Data allows this in the model and fails when the configuration \
                gets a store of its own.
                """,
            remedy: """
                As long as one store holds the complete model, do nothing. Otherwise add the other \
                entity to the configuration.
                """,
            wrong: .words(
                "A configuration with Tag and without its parent"),
            right: .words(
                "A configuration with both")),
        Explanation(
            .cascadeBothWays, title: "Both ends of a relationship cascade",
            meaning: """
                Deleting an object deletes its related objects, and these delete their related \
                objects. In the end, all connected objects are deleted.
                """,
            remedy:
                "Cascade from the whole to its parts only, and nullify or deny on the way back.",
            wrong: """
                <entity name="Order">
                  <relationship name="items" to="Item" inverse="order" many="true" onDelete="cascade"/>
                </entity>
                <entity name="Item">
                  <relationship name="order" to="Order" inverse="items" optional="true" onDelete="cascade"/>
                </entity>
                """,
            right: """
                <entity name="Order">
                  <relationship name="items" to="Item" inverse="order" many="true" onDelete="cascade"/>
                </entity>
                <entity name="Item">
                  <relationship name="order" to="Order" inverse="items" optional="true"/>
                </entity>
                """),
        Explanation(
            .cascadeIntoShared, title: "Deleting an object deletes objects of others",
            meaning: """
                Many objects may reference the same object at the other end. When the first of \
                them is deleted, this shared object is deleted, too.
                """,
            remedy: """
                Write onDelete="nullify". The program can delete objects that nothing references.
                """,
            wrong: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products" optional="true"
                                onDelete="cascade"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category" many="true"/>
                </entity>
                """,
            right: .shop(
                #"<relationship name="category" to="Category" inverse="products" optional="true"/>"#,
                #"<relationship name="products" to="Product" inverse="category" many="true"/>"#)),
        Explanation(
            .denyForever, title: "An object can never be deleted",
            meaning: """
                The relationship is required, so each object has a related object. With \
                onDelete="deny", the object cannot be deleted while it has a related object.
                """,
            remedy: #"Write onDelete="nullify" or "cascade", or make the relationship optional."#,
            wrong: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products" onDelete="deny"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category"
                                many="true" onDelete="cascade"/>
                </entity>
                """,
            right: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category"
                                many="true" onDelete="cascade"/>
                </entity>
                """),
        Explanation(
            .emptyEntity, title: "An entity has nothing to store",
            meaning: """
                The entity has no attribute and no relationship, not even an inherited one, so its \
                objects cannot be distinguished.
                """,
            remedy: "Declare properties of the entity, or remove it.",
            wrong: #"<entity name="Product"/>"#,
            right: .product(#"<attribute name="sku" type="string"/>"#)),
        Explanation(
            .childlessAbstract, title: "An abstract entity has no sub-entities",
            meaning: """
                An abstract entity has no objects of its own, and no entity inherits from this \
                one.
                """,
            remedy: #"Remove abstract="true", or remove the entity."#,
            wrong: """
                <entity name="Named" abstract="true">
                  <attribute name="label" type="string"/>
                </entity>
                """,
            right: """
                <entity name="Named" abstract="true">
                  <attribute name="label" type="string"/>
                </entity>
                <entity name="Tag" parent="Named"/>
                """),
        Explanation(
            .singularToMany, title: "A to-many relationship has at most one object",
            meaning: "A to-one relationship means the same, and is faster and easier to use.",
            remedy: #"Remove many="true" and max="1"."#,
            wrong: """
                <entity name="Product">
                  <relationship name="category" to="Category" inverse="products" optional="true"/>
                </entity>
                <entity name="Category">
                  <relationship name="products" to="Product" inverse="category"
                                many="true" max="1"/>
                </entity>
                """,
            right: .shop(
                #"<relationship name="category" to="Category" inverse="products" optional="true"/>"#,
                #"<relationship name="products" to="Product" inverse="category" many="true"/>"#)),
    ]
}
