// A program that imports CambiumExchange does not need to import Cambium too.
@_exported import Cambium
