// A program that imports CambiumCustomStores can also use Cambium, and the rows of its custom
// store.
@_exported import Cambium
