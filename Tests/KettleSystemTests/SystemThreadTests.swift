import Glibc
import KettleSystem
import Testing

struct SystemThreadTests {
  /// The value that a thread found.
  private final class Box<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func set(_ new: Value) { value.withLock { $0 = new } }

    var current: Value { value.withLock { $0 } }
  }

  @Test func `a thread has cancellation disabled and its type set to asynchronous`() throws {
    let found = Box<[Int32]>([])
    let thread = try SystemThread {
      var state: Int32 = -1
      var type: Int32 = -1
      pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &state)
      pthread_setcanceltype(Int32(PTHREAD_CANCEL_ASYNCHRONOUS), &type)
      found.set([state, type])
    }
    thread.join()
    #expect(
      found.current == [Int32(PTHREAD_CANCEL_DISABLE), Int32(PTHREAD_CANCEL_ASYNCHRONOUS)])
  }

  @Test(arguments: [(SystemThread.Signals.all, false), (.none, true)])
  func `a thread receives all signals or none`(
    signals: SystemThread.Signals, isBlocked: Bool
  ) throws {
    let found = Box<Bool?>(nil)
    let thread = try SystemThread(receiving: signals) {
      var mask = sigset_t()
      pthread_sigmask(SIG_SETMASK, nil, &mask)
      found.set(sigismember(&mask, SIGTSTP) == 1)
    }
    thread.join()
    #expect(found.current == isBlocked)
  }

  @Test func `a thread knows whether it is the current one`() throws {
    let thread = try SystemThread {}
    #expect(!thread.isCurrent)
    thread.join()
  }
}
