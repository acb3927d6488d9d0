import Cambium
import ShopModel

// A generated class is declared to be what it is not.
#if MISTAKE
    extension Product: Sendable {}  // error: Sendable
#endif
