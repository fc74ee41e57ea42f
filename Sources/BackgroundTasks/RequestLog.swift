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
  }

  /// Makes `requestID`s that no other run of the program makes.
  private let nonce: String
  /// In order; what cannot be sent yet because the service's number of its task is not known stays.
  private var unsent: [Entry] = []
  private var sent: [Int64: Entry] = [:]
  private var nextSerial: Int64 = 1

  init(nonce: String) { self.nonce = nonce }

  var isEmpty: Bool { unsent.isEmpty && sent.isEmpty }

  mutating func append(_ intent: Intent, task: Int64?) {
    unsent.append(Entry(serial: nextSerial, task: task, intent: intent))
    nextSerial += 1
  }

  /// Takes all that can be sent now.
  mutating func takeSendable(
    id: (Int64) -> TransferID?
  ) -> [(serial: Int64, request: ServiceRequest)] {
    var waiting: [Entry] = []
    var requests: [(serial: Int64, request: ServiceRequest)] = []
    for entry in unsent {
      let request = entry.intent.request(
        id: entry.task.flatMap(id), requestID: "\(nonce).\(entry.task ?? 0)")
      guard let request else {
        waiting.append(entry)
        continue
      }
      sent[entry.serial] = entry
      requests.append((entry.serial, request))
    }
    unsent = waiting
    return requests
  }

  mutating func answered(_ serial: Int64) -> Entry? { sent.removeValue(forKey: serial) }

  mutating func connectionLost() {
    unsent = (unsent + sent.values).sorted { $0.serial < $1.serial }
    sent = [:]
  }

  /// The service turned out to have the task. It is called before anything is sent again.
  mutating func forgetAdd(of task: Int64) {
    unsent.removeAll { entry in
      guard entry.task == task, case .add = entry.intent else { return false }
      return true
    }
  }

  mutating func forget(task: Int64) {
    unsent.removeAll { $0.task == task }
    sent = sent.filter { $0.value.task != task }
  }

  mutating func forgetAll() {
    unsent = []
    sent = [:]
  }
}
