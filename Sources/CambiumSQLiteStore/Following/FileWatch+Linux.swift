import CambiumEngine

#if canImport(Glibc) || canImport(Musl) || canImport(Bionic)
    import Dispatch

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Bionic
    #endif

    /// Reports writes to files, by inotify.
    final class FileWatch: Sendable {
        // Safety: a source may be cancelled from any thread, and nothing else is done with it once
        // it is made.
        nonisolated(unsafe) private let source: any DispatchSourceRead

        /// - Parameters:
        ///   - paths: Files. They may be written as a whole, but not be replaced by others.
        ///   - written: Called on the queue after one or more writes.
        /// - Throws: ``StoreError`` where the system has no more watches to give.
        init(
            paths: [String], queue: DispatchQueue, written: @escaping @Sendable () -> Void
        ) throws {
            let descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw StoreError.cannotWatch(paths, errno) }
            for path in paths
            where inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) < 0 {
                let reason = errno
                close(descriptor)
                throw StoreError.cannotWatch([path], reason)
            }
            source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                Self.empty(descriptor)
                written()
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }

        func cancel() { source.cancel() }

        /// Takes what was reported. What it says does not matter: there is one reason only.
        private static func empty(_ descriptor: Int32) {
            // Safety: `read` writes no more than the bytes that the buffer has, and what it writes
            // is not looked at.
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
        }
    }
#endif
