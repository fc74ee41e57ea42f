#if KETTLE_THREAD_SANITIZER

import Glibc

/// `Synchronization.Mutex` over a pthread lock, for builds with ThreadSanitizer.
///
/// The standard library's type calls futex(2) itself, which ThreadSanitizer does not intercept:
/// it would report every value behind such a lock as a data race. The lock and the value have
/// heap memory of their own, because pthread_mutex_t must not move.
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // `value` is accessed only while `lock` is held, so threads may share the type.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  package init(_ initialValue: consuming sending Value) {
    lock = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    value = .allocate(capacity: 1)
    value.initialize(to: initialValue)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }

  package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard pthread_mutex_trylock(lock) == 0 else { return nil }
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}

#else

@_exported import struct Synchronization.Mutex

#endif
