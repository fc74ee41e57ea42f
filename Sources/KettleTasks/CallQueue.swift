/// The calls of a delegate, one at a time and in order: the next is handed out when the one before
/// has returned. So a file stays until the delegate is done with it, whatever queue it is called
/// on, and reports of progress that a slow delegate is not ready for become one.
struct CallQueue: Sendable {
  private enum Phase {
    case free
    case calling(DelegateCall)
  }

  private var phase = Phase.free
  private var waiting: [DelegateCall] = []
  /// Those of `waiting` before it were handed out.
  private var head = 0
  /// Counts what was taken off the front of `waiting` for good.
  private var removedCount = 0
  /// Where the last call of a task is, counted from the first that ever was: thousands of tasks
  /// may wait for a slow delegate, and are not looked through for each report of progress.
  private var lastPlaces: [Int64: Int] = [:]

  /// Nothing waits and nothing is being called.
  var isIdle: Bool {
    switch phase {
    case .free: head == waiting.count
    case .calling: false
    }
  }

  mutating func append(_ call: DelegateCall) {
    guard let task = call.task else { return waiting.append(call) }
    if let place = lastPlaces[task].map({ $0 - removedCount }), place >= head,
      let joined = waiting[place].joined(with: call)
    {
      waiting[place] = joined
    } else {
      lastPlaces[task] = removedCount + waiting.count
      waiting.append(call)
    }
  }

  /// The call to make now; nil while one is being made or none waits.
  mutating func next() -> DelegateCall? {
    guard case .free = phase, head < waiting.count else { return nil }
    let call = waiting[head]
    if let task = call.task, lastPlaces[task] == removedCount + head { lastPlaces[task] = nil }
    head += 1
    // Half of it at a time, so that each call is moved once on average.
    if head * 2 >= waiting.count {
      waiting.removeFirst(head)
      removedCount += head
      head = 0
    }
    phase = .calling(call)
    return call
  }

  /// The call that was being made has returned.
  mutating func returned() -> DelegateCall? {
    guard case .calling(let call) = phase else { return nil }
    phase = .free
    return call
  }
}
