import CSQLite
import CambiumModel

extension Connection {
    /// Registers the functions that conditions and sort keys of queries call.
    package func registerStoreFunctions() throws(SQLiteError) {
        let functions = functions
        for function in StoreFunction.all {
            try register(function.name, function.argumentCount) { arguments in
                try functions.call(function, arguments)
            }
        }
        for function in ConversionFunction.allCases {
            try register(function.rawValue, function.argumentCount, function.call)
        }
        try registerTextCheck()
    }

    /// Replaces SQLite's random functions by functions with the same values in each run, for
    /// proofs.
    package func seedRandomFunctions() throws(SQLiteError) {
        let random = SeededRandom()
        try register("random", 0, isDeterministic: false) { _ in
            .integer(Int64(bitPattern: random.next()))
        }
        try register("randomblob", 1, isDeterministic: false) { arguments in
            guard case .integer(let count)? = arguments.first else { return .null }
            let bytes = (0..<max(1, count)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            return .blob(Data(bytes))
        }
    }

    private func register(
        _ name: String, _ argumentCount: Int, isDeterministic: Bool = true,
        _ call: @escaping ([StoredValue]) throws -> StoredValue
    ) throws(SQLiteError) {
        // Safety: each registration retains its box once. SQLite releases it through the last
        // argument, even if the registration fails.
        let box = Unmanaged.passRetained(RegisteredFunction(call: call, failures: functionFailure))
        let code = sqlite3_create_function_v2(
            handle, name, Int32(argumentCount),
            SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0) | SQLITE_DIRECTONLY,
            box.toOpaque(),
            { context, count, values in
                guard let context, let values, let data = sqlite3_user_data(context) else {
                    return
                }
                // Safety: the box lives as long as the registration.
                let box = Unmanaged<RegisteredFunction>.fromOpaque(data).takeUnretainedValue()
                let arguments = (0..<Int(count)).map { StoredValue(values[$0]) }
                do {
                    try box.call(arguments).setResult(of: context)
                } catch {
                    box.failures.error = error
                    sqlite3_result_error(context, "\(error)", -1)
                    if error is CancellationError {
                        sqlite3_result_error_code(context, SQLITE_INTERRUPT)
                    }
                }
            }, nil, nil,
            { data in
                guard let data else { return }
                Unmanaged<RegisteredFunction>.fromOpaque(data).release()
            })
        try check(code)
    }

    /// Returns and clears the error of a Swift function that a statement has failed with, or nil if
    /// SQLite itself failed.
    package func takeFunctionFailure() -> (any Error)? {
        defer { functionFailure.error = nil }
        return functionFailure.error
    }
}

/// A function as SQLite retains it. The functions of expressions share one cache of patterns.
private final class RegisteredFunction {
    let call: ([StoredValue]) throws -> StoredValue
    let failures: FunctionFailure

    init(call: @escaping ([StoredValue]) throws -> StoredValue, failures: FunctionFailure) {
        self.call = call
        self.failures = failures
    }
}

/// The error of a Swift function. SQLite reports only its message.
final class FunctionFailure {
    var error: (any Error)?
}

/// Random numbers that are the same in each run (SplitMix64).
private final class SeededRandom {
    private var state: UInt64 = 0

    func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}

extension StoredValue {
    /// An argument of a function.
    fileprivate init(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            // Safety: SQLite keeps the bytes until the function returns; the string copies them.
            let start = sqlite3_value_text(value)
            let count = Int(sqlite3_value_bytes(value))
            self = .text(
                String(
                    decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            // Safety: as for texts.
            let start = sqlite3_value_blob(value)
            let count = Int(sqlite3_value_bytes(value))
            self = .blob(Data(UnsafeRawBufferPointer(start: start, count: count)))
        default: self = .null
        }
    }

    /// Sets the value as the result of a function.
    fileprivate func setResult(of context: OpaquePointer) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_result_text64(
                        context, characters.baseAddress, UInt64(bytes.count),
                        cambium_sqlite_transient(), UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                sqlite3_result_blob64(
                    context, bytes.baseAddress, UInt64(bytes.count), cambium_sqlite_transient())
            }
        }
    }
}
