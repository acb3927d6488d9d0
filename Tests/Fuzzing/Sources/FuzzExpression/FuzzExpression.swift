import Foundation
import LibFuzzer

/// Looks for texts that the expression language does not stand.
@main
struct FuzzExpression {
    // Safety: libFuzzer calls from one thread.
    nonisolated(unsafe) static let input = try? ExpressionInput()

    static func main() {
        var count = CommandLine.argc
        // Safety: libFuzzer wants C's own arguments, which live as long as the process.
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                guard let input = FuzzExpression.input else { fatalError("no store") }
                // Safety: libFuzzer hands over `count` bytes, alive during the call.
                let bytes = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
                if let finding = input.finding(in: bytes) { fatalError(finding) }
                return 0
            })
    }
}
