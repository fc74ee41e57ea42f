import KettleControl
import KettleModel

/// The requests to the service that are not acknowledged yet, in order.
///
/// Requests gather here until the connection is ready to send, and then leave in few messages: all
/// new tasks in one, which the service records in one commit, and equal controls of many tasks in
/// one, which the service applies before it starts anything else.
///
/// After a lost connection all of them are sent again, so every request must be idempotent. A
/// message with new tasks is sent again with the same tasks, because the service recognizes it by
/// its ID.
struct UnacknowledgedRequests: Sendable {
  struct Entry: Sendable {
    let serial: Int64
    /// nil for a request about the session.
    let task: Int64?
    let intent: Intent
  }

  /// A task to add, as it was when its message was made.
  private struct Addition: Sendable {
    let serial: Int64
    let task: Int64
    let spec: TransferSpec
  }

  /// Makes `requestID`s unique to this run of the program.
  private let nonce: String
  /// In order. An entry stays here until the service's ID of its task is known.
  private var unsent: [Entry] = []
  /// Tasks to add, in order, that were not part of a message yet.
  private var newcomers: [(serial: Int64, task: Int64)] = []
  /// Messages with new tasks to send unchanged, all at once: retries, and those of a single task.
  private var additions: [[Addition]] = []
  private var sent: [Int64: [Entry]] = [:]
  /// Messages with new tasks under way. A forgotten task leaves a nil, because the reply matches
  /// tasks by index.
  private var adding: [Int64: [Addition?]] = [:]
  private(set) var lastSerial: Int64 = 0

  /// Measured by `TransferSpec.lineByteCountMax`; less than the line limit of the service.
  static let additionByteCountMax = LineDecoder.byteCountMaxFromClient - 1024 * 1024
  /// The largest number of tasks in one control, about 400 KiB of text.
  static let groupCountMax = 20_000

  init(nonce: String) { self.nonce = nonce }

  var count: Int {
    unsent.count + newcomers.count + additions.reduce(0) { $0 + $1.count }
      + sent.values.reduce(0) { $0 + $1.count } + adding.values.reduce(0) { $0 + $1.count }
  }

  /// Whether nothing waits to be sent.
  var isAllSent: Bool { unsent.isEmpty && newcomers.isEmpty && additions.isEmpty }

  /// Whether every request up to this serial number was acknowledged.
  func isAcknowledged(through serial: Int64) -> Bool {
    let oldest =
      [newcomers.first?.serial, unsent.first?.serial, additions.first?.first?.serial]
      + sent.values.map { $0.first?.serial }
      + adding.values.map { tasks in tasks.lazy.compactMap { $0?.serial }.first }
    return oldest.allSatisfy { $0.map { $0 > serial } ?? true }
  }

  mutating func append(_ intent: Intent, task: Int64?) {
    lastSerial += 1
    unsent.append(Entry(serial: lastSerial, task: task, intent: intent))
  }

  /// Appends a new task, whose number is larger than all earlier ones.
  mutating func append(newTask task: Int64) {
    lastSerial += 1
    newcomers.append((lastSerial, task))
  }

  // MARK: Sending

  /// Removes and returns everything that can be sent now.
  ///
  /// Only one message with newcomers is under way at a time, because each costs the service a
  /// commit.
  ///
  /// - Parameters:
  ///   - id: Returns the service's ID of a task.
  ///   - spec: Returns a new task to add; nil if it is over already.
  mutating func dequeueSendable(
    id: (Int64) -> TransferID?, spec: (Int64) -> TransferSpec?
  ) -> [(serial: Int64, request: ServiceRequest)] {
    var requests = additions.compactMap { add($0) }
    additions = []
    if adding.isEmpty, let request = add(dequeueNewcomers(spec)) { requests.append(request) }
    for group in dequeueGroups(id: id) {
      guard let first = group.entries.first, let request = first.intent.request(ids: group.ids)
      else { continue }
      sent[first.serial] = group.entries
      requests.append((first.serial, request))
    }
    return requests.sorted { $0.serial < $1.serial }
  }

  /// Equal requests of several tasks.
  private struct Group {
    var entries: [Entry]
    var ids: [TransferID]
  }

  /// Groups equal requests without changing the order of the requests of a task. Nothing moves
  /// across a request about the session.
  private mutating func dequeueGroups(id: (Int64) -> TransferID?) -> [Group] {
    var groups: [Group] = []
    var waiting: [Entry] = []
    var indicesOfIntent: [Intent: [Int]] = [:]
    var lastIndexOfTask: [Int64: Int] = [:]
    for entry in unsent {
      let known = entry.task.map(id)
      guard known != .some(nil), isDue(entry) else {
        waiting.append(entry)
        continue
      }
      let ids = known.flatMap { $0 }.map { [$0] } ?? []
      let earliest = entry.task.flatMap { lastIndexOfTask[$0] } ?? 0
      let joined = indicesOfIntent[entry.intent]?.first { index in
        index >= earliest && groups[index].entries.count < Self.groupCountMax
      }
      if let joined {
        groups[joined].entries.append(entry)
        groups[joined].ids += ids
      } else {
        groups.append(Group(entries: [entry], ids: ids))
        if entry.task == nil { indicesOfIntent = [:] }
        if entry.intent.isForMany {
          indicesOfIntent[entry.intent, default: []].append(groups.count - 1)
        }
      }
      if let task = entry.task { lastIndexOfTask[task] = joined ?? groups.count - 1 }
    }
    unsent = waiting
    return groups
  }

  /// A request about the session does not overtake earlier additions.
  private func isDue(_ entry: Entry) -> Bool {
    guard entry.task == nil, let first = newcomers.first else { return true }
    return entry.serial < first.serial
  }

  private mutating func dequeueNewcomers(_ spec: (Int64) -> TransferSpec?) -> [Addition] {
    var additions: [Addition] = []
    var byteCount = 0
    var takenCount = 0
    for newcomer in newcomers {
      if let spec = spec(newcomer.task) {
        byteCount += spec.lineByteCountMax
        guard additions.isEmpty || byteCount <= Self.additionByteCountMax else { break }
        additions.append(Addition(serial: newcomer.serial, task: newcomer.task, spec: spec))
      }
      takenCount += 1
    }
    newcomers.removeFirst(takenCount)
    return additions
  }

  /// Makes one message of these tasks, under an ID of its own. A retry never regroups tasks.
  private mutating func add(_ tasks: [Addition]) -> (serial: Int64, request: ServiceRequest)? {
    guard let first = tasks.first, let last = tasks.last else { return nil }
    adding[first.serial] = tasks
    let numbers = tasks.count == 1 ? "\(first.task)" : "\(first.task)-\(last.task)"
    return (
      first.serial, .add(.init(transfers: tasks.map(\.spec), requestID: "\(nonce).\(numbers)"))
    )
  }

  // MARK: Replies

  /// Removes requests that were answered together; nil if `serial` is a message with new tasks or
  /// unknown.
  mutating func removeSent(_ serial: Int64) -> [Entry]? { sent.removeValue(forKey: serial) }

  /// Removes a message with new tasks and returns their numbers, with nil for forgotten ones.
  /// Returns nil if `serial` is no such message.
  mutating func removeAdd(_ serial: Int64) -> [Int64?]? {
    adding.removeValue(forKey: serial)?.map { $0?.task }
  }

  /// Handles the refusal of a message with new tasks. The service added none of them and reported
  /// only the first error, so each task is requested separately. Returns false if the message had a
  /// single task.
  mutating func splitRefusedAdd(_ serial: Int64) -> Bool {
    guard let tasks = adding[serial], tasks.count > 1 else { return false }
    adding[serial] = nil
    additions += tasks.compactMap { $0 }.map { [$0] }
    return true
  }

  mutating func connectionLost() {
    unsent = (unsent + sent.values.joined()).sorted { $0.serial < $1.serial }
    sent = [:]
    for serial in adding.keys.sorted() {
      let tasks = adding[serial] ?? []
      let left = tasks.compactMap { $0 }
      additions += left.count == tasks.count ? [left] : left.map { [$0] }
    }
    additions.sort { ($0.first?.serial ?? 0) < ($1.first?.serial ?? 0) }
    adding = [:]
  }

  // MARK: Forgetting

  /// Forgets the addition of a task that the service already has. Called before anything is sent
  /// again.
  mutating func forgetAdd(of task: Int64) {
    additions = additions.flatMap { tasks in
      guard tasks.contains(where: { $0.task == task }) else { return [tasks] }
      return tasks.filter { $0.task != task }.map { [$0] }
    }
  }

  mutating func forget(task: Int64) {
    unsent.removeAll { $0.task == task }
    for (serial, entries) in sent where entries.contains(where: { $0.task == task }) {
      let left = entries.filter { $0.task != task }
      sent[serial] = left.isEmpty ? nil : left
    }
    forgetAdd(of: task)
    for (serial, tasks) in adding where tasks.contains(where: { $0?.task == task }) {
      let left = tasks.map { $0?.task == task ? nil : $0 }
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

extension TransferSpec {
  /// An upper bound of its length in a message, in bytes.
  fileprivate var lineByteCountMax: Int {
    var count = 1024 + url.text.byteCountAsJSON
    for text in [title, task?.subtitle, name?.text, directory] {
      count += text?.byteCountAsJSON ?? 0
    }
    for header in headers {
      count += 24 + header.name.byteCountAsJSON + header.value.byteCountAsJSON
    }
    if case .bytes(let body)? = request?.body { count += body.bytes.count * 2 }
    return count + (task?.programData?.byteCountAsJSON ?? 0)
  }
}

extension String {
  /// Its length inside the quotes of a JSON string, in bytes (RFC 8259, section 7).
  fileprivate var byteCountAsJSON: Int {
    utf8.reduce(0) { count, byte in
      switch byte {
      case 0..<0x20: count + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): count + 2
      default: count + 1
      }
    }
  }
}
