import CambiumCompiler
import CambiumModel

/// A new bundle: a first version with comments that teach the language.
package struct ModelTemplate: Sendable {
    /// The model's name.
    package let name: String
    /// Whether the version shows most of the language instead of the least.
    package let isExample: Bool

    /// The reason why a name is not accepted, as a sentence.
    package struct UnsuitableName: Error, Sendable {
        /// The problem with the name.
        package let message: String
    }

    /// Prepares a bundle.
    ///
    /// - Throws: If the name cannot be that of a Swift type.
    package init(name: String, isExample: Bool) throws(UnsuitableName) {
        guard Vocabulary.isIdentifier(name) else {
            throw UnsuitableName(
                message: "'\(name)' cannot be the name of a model: it becomes the name of a Swift "
                    + "type, so a letter followed by letters, digits and underscores")
        }
        guard !ReservedNames.types.contains(name) else {
            throw UnsuitableName(message: "'\(name)' is already the name of a type; choose another")
        }
        guard !isExample || !["Product", "Category", "Kind"].contains(name) else {
            throw UnsuitableName(
                message: "'\(name)' is a type of the example; choose another name, or make a model "
                    + "without the example")
        }
        self.name = name
        self.isExample = isExample
    }

    /// The name of the folder.
    package var bundleName: String { "\(name).cambium" }

    /// The name of the file of the first version, in the folder.
    package var fileName: String { "1.xml" }

    /// The text of the first version.
    package var contents: String { isExample ? exampleVersion : firstVersion }

    /// The lines of a package manifest that compile the bundle.
    package var packageLines: String {
        """
        // Package.swift
        dependencies: [
            .package(url: "<where Cambium is>", from: "\(SwiftEmitter.cambiumVersion)")
        ],
        targets: [
            .target(
                name: "<the target whose folder holds \(bundleName)>",
                dependencies: [.product(name: "Cambium", package: "Cambium")],
                plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")])
        ]

        """
    }

    /// The one entity of a first version: its class cannot have the model's name.
    private var firstEntity: String { name == "Note" ? "Entry" : "Note" }

    private var firstVersion: String {
        let plural = firstEntity == "Note" ? "notes" : "entries"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- The first version of \(name). It is a draft until it ships: change it as you like, and
                 set StoreOptions.draftPolicy for the stores that you have made meanwhile. Then let
                 `swift package cambium version new` freeze it and copy it to 2.xml, and go on there.
                 access="public" is for a target whose classes other targets use. -->
            <model xmlns="urn:cambium:model:1" name="\(name)" version="1">

              <!-- An entity becomes a class: \(firstEntity)(in: context, title: "…"). -->
              <entity name="\(firstEntity)">
                <!-- Everything is required unless optional="true". Types: bool int16 int32 int64 float
                     double decimal string date uuid uri data, and the enumerations of the model. -->
                <attribute name="title" type="string" minLength="1"/>
                <attribute name="text" type="string" default=""/>
                <attribute name="created" type="date" default="now"/>
                <attribute name="isDone" type="bool" default="false"/>

                <!-- A relationship and its inverse name each other:
                <relationship name="folder" to="Folder" inverse="\(plural)" optional="true"/>
                and in Folder:
                <relationship name="\(plural)" to="\(firstEntity)" inverse="folder" many="true"/> -->
              </entity>
            </model>

            """
    }

    private var exampleVersion: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- A model that shows most of the language. `swift package cambium docs` makes a page of it. -->
        <model xmlns="urn:cambium:model:1" name="\(name)" version="1">

          <!-- A Swift enum. The store holds "book" and "TOY". -->
          <enum name="Kind" type="string">
            <case name="book"/>
            <case name="toy" value="TOY"/>
          </enum>

          <entity name="Product">
            <!-- Limits are checked on save, and by the store where SQLite can. -->
            <attribute name="sku" type="string" minLength="3" maxLength="20" pattern="[A-Z]{2}-[0-9]+"/>
            <attribute name="title" type="string" default="Untitled"/>
            <attribute name="kind" type="Kind" default="book"/>
            <!-- Exact, with two places: no rounding ever. -->
            <attribute name="price" type="decimal" scale="2" min="0" max="99999"/>
            <attribute name="salePrice" type="decimal" scale="2" optional="true"/>
            <!-- When two people change it at the same time, both changes are added. -->
            <attribute name="stock" type="int32" default="0" min="0" merge="sum"/>
            <!-- Lives in memory only. -->
            <attribute name="isSelected" type="bool" transient="true" default="false"/>
            <relationship name="category" to="Category" inverse="products" optional="true"/>

            <!-- No two products share it, in memory and in the store. -->
            <unique by="sku"/>
            <index by="price descending, title" where="stock &gt; 0"/>
            <!-- A condition for every saved product. In XML, < is written &lt;. -->
            <rule name="saleBelowPrice" message="A sale price is below the price">
              salePrice == nil OR salePrice &lt; price
            </rule>
            <!-- Product.cheaper(limit: 20) is a request. -->
            <fetch name="cheaper" sort="price, title">
              <parameter name="limit" type="decimal"/>
              price &lt; $limit AND stock &gt; 0
            </fetch>
          </entity>

          <entity name="Category">
            <attribute name="name" type="string" minLength="1"/>
            <!-- A category with products cannot be deleted. -->
            <relationship name="products" to="Product" inverse="category" many="true" onDelete="deny"/>
            <unique by="name"/>
          </entity>
        </model>

        """
    }
}
