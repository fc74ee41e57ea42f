/// The queue of delegate calls, one at a time and in order: the next call is handed out when the
/// previous one has returned. A file therefore stays until the delegate is done with it, on any
/// queue, and progress reports are merged while a slow delegate is busy.
struct CallQueue: Sendable {
  private enum Phase {
    case free
    case calling(DelegateCall)
  }

  private var phase = Phase.free
  private var waiting: [DelegateCall] = []
  /// Calls in `waiting` before this index were handed out.
  private var head = 0
  /// The number of calls removed from the front of `waiting`.
  private var removedCount = 0
  /// The position of each task's last call, counted from the first call ever. Thousands of tasks
  /// may wait for a slow delegate; a progress report must not search through them.
  private var lastPositions: [Int64: Int] = [:]

  /// Whether no call waits and none is under way.
  var isIdle: Bool {
    switch phase {
    case .free: head == waiting.count
    case .calling: false
    }
  }

  /// The call under way.
  var current: DelegateCall? {
    switch phase {
    case .free: nil
    case .calling(let call): call
    }
  }

  mutating func append(_ call: DelegateCall) {
    guard let task = call.task else { return waiting.append(call) }
    if let index = lastPositions[task].map({ $0 - removedCount }), index >= head,
      let merged = waiting[index].merged(with: call)
    {
      waiting[index] = merged
    } else {
      lastPositions[task] = removedCount + waiting.count
      waiting.append(call)
    }
  }

  /// Returns the call to make now, or nil while one is under way or none waits.
  mutating func next() -> DelegateCall? {
    guard case .free = phase, head < waiting.count else { return nil }
    let call = waiting[head]
    if let task = call.task, lastPositions[task] == removedCount + head {
      lastPositions[task] = nil
    }
    head += 1
    // Drop half of it at a time, so that each call is moved once on average.
    if head * 2 >= waiting.count {
      waiting.removeFirst(head)
      removedCount += head
      head = 0
    }
    phase = .calling(call)
    return call
  }

  /// Records that the current call has returned.
  mutating func returned() -> DelegateCall? {
    guard case .calling(let call) = phase else { return nil }
    phase = .free
    return call
  }
}
