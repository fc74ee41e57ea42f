import KettleControl
import KettleModel

/// The requests to the service that are not acknowledged yet, in order.
///
/// After a lost connection all of them are sent again, so every request must be idempotent.
///
/// Each add request costs the service a commit, so only one is under way at a time: tasks added
/// meanwhile go out together in the next one. A request is sent again with the same tasks, because
/// the service recognises it by its ID.
struct UnacknowledgedRequests: Sendable {
  struct Entry: Sendable {
    let serial: Int64
    /// nil for a request about the session.
    let task: Int64?
    let intent: Intent
  }

  /// Makes `requestID`s unique to this run of the program.
  private let nonce: String
  /// In order. An entry stays here until the service's ID of its task is known.
  private var unsent: [Entry] = []
  /// Tasks to add, in order, that were not part of a request yet.
  private var newcomers: [Entry] = []
  /// Add requests to send unchanged, all at once: retries, and requests for a single task.
  private var additions: [[Entry]] = []
  private var sent: [Int64: Entry] = [:]
  /// Add requests under way. A forgotten task leaves a nil, because the reply matches tasks by
  /// index.
  private var adding: [Int64: [Entry?]] = [:]
  private var nextSerial: Int64 = 1

  /// Measured by `TransferSpec.estimatedByteCount`. A line has at most 4 MiB, and JSON escapes make
  /// a text up to six times as long.
  static let additionByteCountMax = 512 * 1024

  init(nonce: String) { self.nonce = nonce }

  var isEmpty: Bool {
    unsent.isEmpty && newcomers.isEmpty && additions.isEmpty && sent.isEmpty && adding.isEmpty
  }

  mutating func append(_ intent: Intent, task: Int64?) {
    let entry = Entry(serial: nextSerial, task: task, intent: intent)
    nextSerial += 1
    if case .add = intent { newcomers.append(entry) } else { unsent.append(entry) }
  }

  /// Removes and returns everything that can be sent now.
  mutating func dequeueSendable(
    id: (Int64) -> TransferID?
  ) -> [(serial: Int64, request: ServiceRequest)] {
    var requests = additions.compactMap { add($0) }
    additions = []
    if adding.isEmpty, let request = add(dequeueNewcomers()) { requests.append(request) }
    var waiting: [Entry] = []
    for entry in unsent {
      guard let request = isDue(entry) ? entry.intent.request(id: entry.task.flatMap(id)) : nil
      else {
        waiting.append(entry)
        continue
      }
      sent[entry.serial] = entry
      requests.append((entry.serial, request))
    }
    unsent = waiting
    return requests.sorted { $0.serial < $1.serial }
  }

  /// A request about the session does not overtake earlier additions.
  private func isDue(_ entry: Entry) -> Bool {
    guard entry.task == nil, let first = newcomers.first else { return true }
    return entry.serial < first.serial
  }

  private mutating func dequeueNewcomers() -> [Entry] {
    var byteCount = 0
    let taken = newcomers.prefix { entry in
      let isFirst = byteCount == 0
      byteCount += entry.spec?.estimatedByteCount ?? 0
      return isFirst || byteCount <= Self.additionByteCountMax
    }
    newcomers.removeFirst(taken.count)
    return Array(taken)
  }

  /// Makes one request of these entries, under an ID of its own. A retry never regroups tasks.
  private mutating func add(_ entries: [Entry]) -> (serial: Int64, request: ServiceRequest)? {
    guard let first = entries.first, let last = entries.last else { return nil }
    adding[first.serial] = entries
    let numbers = entries.count == 1 ? "\(first.number)" : "\(first.number)-\(last.number)"
    return (
      first.serial,
      .add(.init(transfers: entries.compactMap(\.spec), requestID: "\(nonce).\(numbers)"))
    )
  }

  /// Removes a request that was answered; nil if `serial` is an add request or unknown.
  mutating func removeSent(_ serial: Int64) -> Entry? { sent.removeValue(forKey: serial) }

  /// Removes an add request and returns its tasks, with nil for forgotten ones. Returns nil if
  /// `serial` is not an add request.
  mutating func removeAdd(_ serial: Int64) -> [Int64?]? {
    adding.removeValue(forKey: serial)?.map { $0?.task }
  }

  /// Handles the refusal of an add request. The service added none of its tasks and reported only
  /// the first error, so each task is requested separately. Returns false if the request had a
  /// single task.
  mutating func splitRefusedAdd(_ serial: Int64) -> Bool {
    guard let entries = adding[serial], entries.count > 1 else { return false }
    adding[serial] = nil
    additions += entries.compactMap { $0 }.map { [$0] }
    return true
  }

  mutating func connectionLost() {
    unsent = (unsent + sent.values).sorted { $0.serial < $1.serial }
    sent = [:]
    for serial in adding.keys.sorted() {
      let entries = adding[serial] ?? []
      let left = entries.compactMap { $0 }
      additions += left.count == entries.count ? [left] : left.map { [$0] }
    }
    additions.sort { ($0.first?.serial ?? 0) < ($1.first?.serial ?? 0) }
    adding = [:]
  }

  /// Forgets the addition of a task that the service already has. Called before anything is sent
  /// again.
  mutating func forgetAdd(of task: Int64) {
    newcomers.removeAll { $0.task == task }
    additions = additions.flatMap { entries in
      guard entries.contains(where: { $0.task == task }) else { return [entries] }
      return entries.filter { $0.task != task }.map { [$0] }
    }
  }

  mutating func forget(task: Int64) {
    unsent.removeAll { $0.task == task }
    sent = sent.filter { $0.value.task != task }
    forgetAdd(of: task)
    for (serial, entries) in adding where entries.contains(where: { $0?.task == task }) {
      let left = entries.map { $0?.task == task ? nil : $0 }
      adding[serial] = left.allSatisfy { $0 == nil } ? nil : left
    }
  }

  mutating func forgetAll() {
    unsent = []
    newcomers = []
    additions = []
    sent = [:]
    adding = [:]
  }
}

extension UnacknowledgedRequests.Entry {
  fileprivate var number: Int64 { task ?? 0 }

  fileprivate var spec: TransferSpec? {
    if case .add(let spec) = intent { spec } else { nil }
  }
}

extension TransferSpec {
  /// The size of the parts that can be long, in bytes before escaping.
  fileprivate var estimatedByteCount: Int {
    var count = 1024 + url.text.utf8.count + (name?.utf8.count ?? 0) + (directory?.utf8.count ?? 0)
    for header in headers { count += header.name.utf8.count + header.value.utf8.count }
    if case .bytes(let body)? = request?.body { count += body.bytes.count * 2 }
    return count + (task?.programData?.utf8.count ?? 0)
  }
}
