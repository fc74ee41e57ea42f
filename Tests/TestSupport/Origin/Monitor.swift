import Dispatch
import Glibc

/// A value under a lock; threads and tasks can wait for its changes within a time budget.
package final class Monitor<State: Sendable>: @unchecked Sendable {
  /// A task that waits. Its condition is checked at every change, so it cannot miss a state that is
  /// soon followed by another.
  private struct Waiter {
    let isReached: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<State?, Never>
  }

  // `state`, `waiters` and `lastNumber` are accessed only with `mutex` locked.
  private var state: State
  private var waiters: [Int: Waiter] = [:]
  private var lastNumber = 0
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  package init(_ state: State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  package func read<Result>(_ body: (State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(state)
  }

  package func update<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { endUpdate() }
    return try body(&state)
  }

  /// Unlocks `mutex`, and continues the tasks whose conditions hold.
  private func endUpdate() {
    let reached = state
    let met = waiters.filter { $0.value.isReached(reached) }
    for number in met.keys { waiters[number] = nil }
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
    for waiter in met.values { waiter.continuation.resume(returning: reached) }
  }

  /// Blocks the calling thread until `isReached` holds. False if the budget runs out first.
  package func block(
    forMilliseconds budget: Int64, until isReached: (State) -> Bool
  ) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = deadline.tv_nsec + Int(budget % 1000) * 1_000_000
    deadline.tv_sec += Int(budget / 1000) + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isReached(state) {
      if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return isReached(state) }
    }
    return true
  }

  /// Suspends until `isReached` holds, and returns the state at that time, even if it has changed
  /// since. The error names `what` if the budget runs out.
  @discardableResult
  package func wait(
    for what: String, budgetMilliseconds: Int64 = 20_000,
    until isReached: @escaping @Sendable (State) -> Bool
  ) async throws -> State {
    let reached = await withCheckedContinuation { continuation in
      enter(Waiter(isReached: isReached, continuation: continuation), budgetMilliseconds)
    }
    if let reached { return reached }
    throw BudgetSpent(what: what, budgetMilliseconds: budgetMilliseconds, state: read { "\($0)" })
  }

  private func enter(_ waiter: Waiter, _ budgetMilliseconds: Int64) {
    pthread_mutex_lock(mutex)
    let present = state
    if waiter.isReached(present) {
      pthread_mutex_unlock(mutex)
      return waiter.continuation.resume(returning: present)
    }
    lastNumber += 1
    let number = lastNumber
    waiters[number] = waiter
    pthread_mutex_unlock(mutex)
    let deadline = DispatchTime.now() + .milliseconds(Int(budgetMilliseconds))
    DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.giveUp(number) }
  }

  private func giveUp(_ number: Int) {
    pthread_mutex_lock(mutex)
    let waiter = waiters.removeValue(forKey: number)
    pthread_mutex_unlock(mutex)
    waiter?.continuation.resume(returning: nil)
  }
}

/// The awaited condition was not met in time.
package struct BudgetSpent: Error, CustomStringConvertible {
  package var what: String
  package var budgetMilliseconds: Int64
  package var state: String

  package init(what: String, budgetMilliseconds: Int64, state: String) {
    self.what = what
    self.budgetMilliseconds = budgetMilliseconds
    self.state = state
  }

  package var description: String {
    "waited \(budgetMilliseconds) ms in vain for: \(what); the state was \(state)"
  }
}
