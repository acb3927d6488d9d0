import Cambium

extension Product {
    /// What a customer pays: the sale price where there is one.
    public var currentPrice: Decimal { salePrice ?? price }
}
