import Cambium
import EverythingModel

/// Samples are sorted by something that is not in the store.
func sorted() -> FetchRequest<Sample> {
    #if MISTAKE
        Sample.fetchRequest().sorted(by: Sample.scratch)  // error: TransientKey
    #else
        Sample.fetchRequest().sorted(by: Sample.text)
    #endif
}
