// A program that imports CambiumExchange needs no other import for what it imports and exports.
@_exported import Cambium
