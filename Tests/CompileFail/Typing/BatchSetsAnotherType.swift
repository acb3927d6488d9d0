import Cambium
import EverythingModel

/// A batch update sets a number to a text.
func label() -> BatchUpdateRequest<Node> {
    #if MISTAKE
        BatchUpdateRequest().set(Node.number, to: "seven")  // error: String
    #else
        BatchUpdateRequest().set(Node.label, to: "seven")
    #endif
}
