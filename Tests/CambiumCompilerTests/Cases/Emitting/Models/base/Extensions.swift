@_spi(Generated) import Cambium

open class Parent: _Parent {}

public final class Child: _Child {}
