import Cambium
import ShopModel

/// An object is an argument of another actor's method.
actor Printer {
    func printLabel(of product: Product) { print(product.title) }
    func printLabel(_ title: String) { print(title) }
}

@MainActor
func printLabel(of product: Product, on printer: Printer) async {
    #if MISTAKE
        await printer.printLabel(of: product)  // error: sending
    #else
        await printer.printLabel(product.title)
    #endif
}
