import CambiumEngine

#if canImport(Darwin)
    import Darwin
    import Dispatch

    /// Reports writes to files, by kqueue.
    final class FileWatch: Sendable {
        // Safety: a source may be cancelled from any thread, and nothing else is done with it once
        // it is made.
        nonisolated(unsafe) private let sources: [any DispatchSourceFileSystemObject]

        /// - Parameters:
        ///   - paths: Files. They may be written as a whole, but not be replaced by others.
        ///   - written: Called on the queue after one or more writes.
        /// - Throws: ``StoreError`` where a file cannot be opened.
        init(
            paths: [String], queue: DispatchQueue, written: @escaping @Sendable () -> Void
        ) throws {
            var sources: [any DispatchSourceFileSystemObject] = []
            for path in paths {
                let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
                guard descriptor >= 0 else {
                    let reason = errno
                    for source in sources { source.cancel() }
                    throw StoreError.cannotWatch([path], reason)
                }
                let source = DispatchSource.makeFileSystemObjectSource(
                    fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
                source.setEventHandler(handler: written)
                source.setCancelHandler { close(descriptor) }
                source.activate()
                sources.append(source)
            }
            self.sources = sources
        }

        func cancel() {
            for source in sources { source.cancel() }
        }
    }
#endif
