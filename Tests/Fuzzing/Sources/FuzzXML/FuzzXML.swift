import Foundation
import LibFuzzer

/// Looks for files that the compiler does not stand.
@main
struct FuzzXML {
    static func main() {
        var count = CommandLine.argc
        // Safety: libFuzzer wants C's own arguments, which live as long as the process.
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                // Safety: libFuzzer hands over `count` bytes, alive during the call.
                let bytes = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
                if let finding = XMLInput.finding(in: bytes) { fatalError(finding) }
                return 0
            })
    }
}
