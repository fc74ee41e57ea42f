import TransferModel

/// What was asked of the service and not acknowledged yet, in the order in which it was asked.
///
/// After a lost connection all of it is asked again, which is why every request must be one that
/// can be asked twice.
struct RequestLog: Sendable {
  struct Entry: Sendable {
    let serial: Int64
    /// nil when it is about the session.
    let task: Int64?
    let intent: Intent
    fileprivate var isSent = false
  }

  /// Makes `requestID`s that no other run of the program makes.
  private let nonce: String
  private var entries: [Entry] = []
  private var nextSerial: Int64 = 1

  init(nonce: String) { self.nonce = nonce }

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(_ intent: Intent, task: Int64?) {
    entries.append(Entry(serial: nextSerial, task: task, intent: intent))
    nextSerial += 1
  }

  /// Marks as sent all that can be sent now, and gives it out.
  mutating func takeSendable(
    id: (Int64) -> TransferID?
  ) -> [(serial: Int64, request: ServiceRequest)] {
    entries.indices.compactMap { index in
      let entry = entries[index]
      guard !entry.isSent,
        let request = entry.intent.request(
          id: entry.task.flatMap(id), requestID: "\(nonce).\(entry.task ?? 0)")
      else { return nil }
      entries[index].isSent = true
      return (entry.serial, request)
    }
  }

  mutating func answered(_ serial: Int64) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.serial == serial }) else { return nil }
    return entries.remove(at: index)
  }

  mutating func connectionLost() {
    for index in entries.indices { entries[index].isSent = false }
  }

  /// The service turned out to have the task.
  mutating func forgetAdd(of task: Int64) {
    entries.removeAll { entry in
      guard entry.task == task, case .add = entry.intent else { return false }
      return true
    }
  }

  mutating func forget(task: Int64) { entries.removeAll { $0.task == task } }

  mutating func forgetAll() { entries = [] }

  func holds(_ intent: Intent) -> Bool { entries.contains { $0.intent == intent } }
}
