import Cambium
import EverythingModel

/// Samples are searched for by something that is not in the store.
func busy() -> FetchRequest<Sample> {
    #if MISTAKE
        Sample.fetchRequest().filter(Sample.scratch > 7)  // error: TransientKey
    #else
        Sample.fetchRequest().filter(Sample.text > "7")
    #endif
}
