import KettleEngine
import KettleModel
import SeededNumbers

/// Random decisions of one run, in the order in which they are made.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class Chance: @unchecked Sendable {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  func bits() -> UInt64 { generator.next() }

  func number(_ range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(bits() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  func index(below count: Int) -> Int { Int(bits() % UInt64(max(count, 1))) }

  func happens(_ probability: Double) -> Bool {
    probability > 0 && Double(bits() >> 11) * 0x1p-53 < probability
  }

  /// Returns one of the values; nil if there are none.
  func one<Value>(of values: [Value]) -> Value? {
    values.isEmpty ? nil : values[index(below: values.count)]
  }

  /// A number of this magnitude: half of all draws are below a tenth of the greatest.
  func skewed(upTo greatest: Int64) -> Int64 {
    number(0...max(1, greatest / [1, 2, 10, 100][index(below: 4)]))
  }
}

/// Runs all work of an engine on one thread. What is ready is taken in an order drawn from the
/// seed; when nothing is, the clocks go on to what comes next.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulatedLoop: EngineClock, @unchecked Sendable {
  private let chance: Chance
  private let trace: SimulationTrace
  private var moment: Moment
  private var ready: [SimulatedQueue] = []
  private var timers = TimerHeap()
  private var alarm: (at: MonotonicTime, wake: @Sendable () -> Void)?
  private var running: [SimulatedQueue] = []
  /// How long work may wait before it begins, as on a slow disk or a busy machine.
  var slownessMilliseconds: Int64 = 0
  /// Set to return from `run` after the work under way.
  var isStopped = false

  init(_ chance: Chance, _ trace: SimulationTrace, at moment: Moment) {
    self.chance = chance
    self.trace = trace
    self.moment = moment
  }

  // MARK: The clock

  func now() -> Moment { moment }

  func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void) {
    alarm = deadline.map { ($0, wake) }
  }

  /// Sets the calendar time forward or back.
  func jump(milliseconds: Int64) {
    moment.wall = moment.wall.advanced(byMilliseconds: milliseconds)
  }

  /// Lets time pass without any work, as on a machine that sleeps.
  func skip(milliseconds: Int64) {
    moment.monotonic = moment.monotonic.advanced(byMilliseconds: milliseconds)
    jump(milliseconds: milliseconds)
  }

  // MARK: Work

  /// Makes the source of all work of an engine.
  func workSource() -> WorkSource {
    let tasks = WorkerPool("tasks", width: 4) { SimulatedQueue($0, on: self) }
    return WorkSource(tasks: tasks, random: { [chance] in chance.bits() }) {
      SimulatedQueue($0, on: self)
    }
  }

  func after(milliseconds: Int64, _ action: @escaping () -> Void) {
    timers.insert(moment.monotonic.milliseconds + max(milliseconds, 0), action)
  }

  fileprivate func makeReady(_ queue: SimulatedQueue) {
    // Nearly all work begins at once even on a slow machine; otherwise nothing would overlap.
    if slownessMilliseconds > 0, chance.index(below: 8) == 0 {
      after(milliseconds: chance.skewed(upTo: slownessMilliseconds)) { self.ready.append(queue) }
    } else {
      ready.append(queue)
    }
  }

  /// Does ready work of other queues, as other threads do while one is blocked in a call.
  func block() {
    guard running.count < 4 else { return }
    for _ in 0..<chance.index(below: 4) where !ready.isEmpty { runOne() }
  }

  private func runOne() {
    let queue = ready.remove(at: chance.index(below: ready.count))
    trace.count(queue.label, at: moment.monotonic)
    running.append(queue)
    queue.runFirst()
    running.removeLast()
    if queue.hasWork { makeReady(queue) } else { queue.rests() }
  }

  /// Runs until this time, or until it is stopped. Returns whether the time was reached.
  @discardableResult
  func run(until end: MonotonicTime) -> Bool {
    while !isStopped {
      if !ready.isEmpty {
        runOne()
        continue
      }
      let next = [alarm?.at.milliseconds, timers.first].compactMap { $0 }.min()
      guard let next, next <= end.milliseconds else {
        advance(to: end.milliseconds)
        return true
      }
      advance(to: next)
      wakeWhatIsDue()
    }
    return false
  }

  /// Runs until nothing is left to do at any time.
  func runToEnd() {
    while true {
      while !ready.isEmpty { runOne() }
      guard let next = [alarm?.at.milliseconds, timers.first].compactMap({ $0 }).min() else {
        return
      }
      advance(to: next)
      wakeWhatIsDue()
    }
  }

  /// Whether nothing is ready and nothing was planned but alarms of the engine.
  var nextDue: Int64? { [alarm?.at.milliseconds, timers.first].compactMap { $0 }.min() }

  private func advance(to milliseconds: Int64) {
    skip(milliseconds: max(0, milliseconds - moment.monotonic.milliseconds))
  }

  private func wakeWhatIsDue() {
    let now = moment.monotonic.milliseconds
    if let due = alarm, due.at.milliseconds <= now {
      alarm = nil
      due.wake()
    }
    while let first = timers.first, first <= now { timers.removeFirst()?() }
  }

  fileprivate func isRunning(_ queue: SimulatedQueue) -> Bool { running.last === queue }
}

/// A serial queue of the loop.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulatedQueue: WorkQueue, @unchecked Sendable {
  let label: String
  private let loop: SimulatedLoop
  private var work: [@Sendable () -> Void] = []
  private var begun = 0
  private var isWaiting = false

  init(_ label: String, on loop: SimulatedLoop) {
    self.label = label
    self.loop = loop
  }

  func enqueue(_ piece: @escaping @Sendable () -> Void) {
    work.append(piece)
    guard !isWaiting else { return }
    isWaiting = true
    loop.makeReady(self)
  }

  func enqueue(afterMilliseconds delay: Int, _ piece: @escaping @Sendable () -> Void) {
    loop.after(milliseconds: Int64(delay)) { self.enqueue(piece) }
  }

  /// The engine waits only for the first piece of work of a queue.
  func wait<Value>(for piece: () throws -> Value) rethrows -> Value {
    precondition(!hasWork, "\(label) is waited for while it has work")
    return try piece()
  }

  func preconditionIsCurrent() { precondition(loop.isRunning(self), "not on \(label)") }

  fileprivate var hasWork: Bool { begun < work.count }

  fileprivate func runFirst() {
    let piece = work[begun]
    begun += 1
    if begun == work.count {
      work.removeAll(keepingCapacity: true)
      begun = 0
    }
    piece()
  }

  fileprivate func rests() { isWaiting = false }
}

/// What is to be done later, by time and then in the order of its insertion.
private struct TimerHeap {
  private struct Entry {
    var due: Int64
    var number: Int
    var action: () -> Void

    func isBefore(_ other: Entry) -> Bool {
      due == other.due ? number < other.number : due < other.due
    }
  }

  private var entries: [Entry] = []
  private var lastNumber = 0

  var first: Int64? { entries.first?.due }

  mutating func insert(_ due: Int64, _ action: @escaping () -> Void) {
    lastNumber += 1
    entries.append(Entry(due: due, number: lastNumber, action: action))
    var child = entries.count - 1
    while child > 0, entries[child].isBefore(entries[(child - 1) / 2]) {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() -> (() -> Void)? {
    guard !entries.isEmpty else { return nil }
    entries.swapAt(0, entries.count - 1)
    let first = entries.removeLast()
    var parent = 0
    while true {
      let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < entries.count }
      guard let least = children.min(by: { entries[$0].isBefore(entries[$1]) }),
        entries[least].isBefore(entries[parent])
      else { return first.action }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
