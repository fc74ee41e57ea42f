import Glibc
import KettleSystem

/// Runs code with its own umask, concurrently with tests that use that of the process.
///
/// A thread that stops sharing its file system attributes has its own umask (unshare(2),
/// CLONE_FS), so the code runs on a thread that ends with it.
package enum OwnUmask {
  package struct Impossible: Error {}

  private typealias Unshare = @convention(c) (Int32) -> Int32
  /// Swift's Glibc module lacks both.
  private static let cloneFS: Int32 = 0x200

  package static func with<Value: Sendable>(
    _ mask: mode_t, _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    let work = Work {
      guard let symbol = dlsym(nil, "unshare"),
        unsafeBitCast(symbol, to: Unshare.self)(cloneFS) == 0
      else { throw Impossible() }
      umask(mask)
      return try body()
    }
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(work as Runnable).toOpaque()
    let code = pthread_create(&thread, nil, { Runnable.run($0) }, argument)
    guard code == 0 else {
      Unmanaged<Runnable>.fromOpaque(argument).release()
      throw Impossible()
    }
    pthread_join(thread, nil)
    return try work.result()
  }

  /// The argument of the thread: a class without a type parameter, because a C function has none.
  private class Runnable: @unchecked Sendable {
    func run() {}

    static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      if let argument { Unmanaged<Runnable>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }
  }

  /// Written by the thread and read after the thread has ended.
  private final class Work<Value: Sendable>: Runnable, @unchecked Sendable {
    private let body: @Sendable () throws -> Value
    private let outcome = Mutex<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Value) { self.body = body }

    override func run() {
      let result = Result { try body() }
      outcome.withLock { $0 = result }
    }

    func result() throws -> Value {
      guard let result = outcome.withLock({ $0 }) else { throw Impossible() }
      return try result.get()
    }
  }
}
