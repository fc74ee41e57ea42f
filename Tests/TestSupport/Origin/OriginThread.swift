import CKettleCurl
import CKettleLinux
import Glibc

/// A thread that runs one closure and ends.
package enum OriginThread {
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  package static func start(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    // Hundreds of threads at once must not exhaust the address space of a limited process.
    pthread_attr_setstacksize(&attributes, 512 * 1024)
    defer { pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let status = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    precondition(status == 0, "The system has no thread left for the test.")
    pthread_detach(thread)
  }
}
