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

  /// Nothing waits and nothing is being called.
  var isIdle: Bool {
    switch phase {
    case .free: head == waiting.count
    case .calling: false
    }
  }

  mutating func append(_ call: DelegateCall) {
    if let place = waiting[head...].lastIndex(where: { $0.task == call.task }),
      let joined = waiting[place].joined(with: call)
    {
      waiting[place] = joined
    } else {
      waiting.append(call)
    }
  }

  /// The call to make now; nil while one is being made or none waits.
  mutating func next() -> DelegateCall? {
    guard case .free = phase, head < waiting.count else { return nil }
    let call = waiting[head]
    head += 1
    if head == waiting.count || head >= 64 {
      waiting.removeFirst(head)
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
