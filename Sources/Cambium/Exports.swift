// A program that imports Cambium has the model's values (dates and decimals with them), and the
// migrations that its generated code lists.
@_exported import CambiumMigration
@_exported import CambiumModel
