import Cambium
import ShopModel

// An object is kept where every thread can reach it.
#if MISTAKE
    let rememberedProduct: Product? = nil  // error: not concurrency-safe
#else
    let rememberedProduct: ObjectID? = nil
#endif
