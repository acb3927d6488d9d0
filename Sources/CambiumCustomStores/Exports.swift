// A program that imports CambiumCustomStores has Cambium, and the rows that a store of its own keeps.
@_exported import Cambium
