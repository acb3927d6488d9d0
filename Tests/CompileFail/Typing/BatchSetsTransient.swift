import Cambium
import EverythingModel

/// A batch update sets what is not in the store.
func clear() -> BatchUpdateRequest<Sample> {
    #if MISTAKE
        BatchUpdateRequest().set(Sample.scratch, to: 7)  // error: A transient attribute
    #else
        BatchUpdateRequest().set(Sample.short, to: 7)
    #endif
}
