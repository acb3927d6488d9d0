import Cambium
import ShopModel

/// What generated code calls is no part of the interface.
func priceKey() -> Key<Product, Decimal> {
    #if MISTAKE
        Key("prise")  // error: @_spi
    #else
        Product.price
    #endif
}
