import Dispatch

/// Watches the kernel's events about power supplies.
final class UeventWatch: Sendable {
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Returns nil when listening to the kernel is not permitted.
  init?(observer: @escaping @Sendable () -> Void) {
    guard let socket = UeventSocket() else { return nil }
    source = DispatchSource.makeReadSource(
      fileDescriptor: socket.descriptor, queue: DispatchQueue(label: "kettle.kernel"))
    source.setEventHandler { if socket.drain() { observer() } }
    // The descriptor must live until the source is done with it.
    source.setCancelHandler { withExtendedLifetime(socket) {} }
    source.activate()
  }

  func stop() { source.cancel() }

  deinit { source.cancel() }
}
