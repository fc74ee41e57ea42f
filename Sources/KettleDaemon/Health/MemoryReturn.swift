import Dispatch
import KettleEngine
import KettleModel
import KettleSystem

/// Decides when memory that a burst of work has left behind goes back to the system: once after
/// each burst, when it is over, and never while the service has little to do.
struct BurstMeter: Sendable {
  /// So many rows, events and requests are a burst.
  static let burstCount = 1000
  /// With fewer than this between two looks, a burst is over.
  static let calmCount = 100

  private enum State: Sendable {
    /// How much work there was since the memory went back.
    case calm(Int)
    /// How much work there was since the last look.
    case burst(Int)
  }

  enum Verdict: Sendable, Hashable {
    case returnMemory
    case lookAgain
  }

  /// Starting is a burst.
  private var state = State.burst(0)

  /// Counts work. Returns whether a burst begins, which must be looked at after a while.
  mutating func note(_ count: Int) -> Bool {
    switch state {
    case .burst(let before):
      state = .burst(before &+ count)
      return false
    case .calm(let before):
      let sum = before &+ count
      state = sum < Self.burstCount ? .calm(sum) : .burst(0)
      return sum >= Self.burstCount
    }
  }

  /// Called a while after a burst has begun, and a while after each call that returns `lookAgain`.
  mutating func look() -> Verdict {
    switch state {
    case .burst(let count) where count >= Self.calmCount:
      state = .burst(0)
      return .lookAgain
    case .burst, .calm:
      state = .calm(0)
      return .returnMemory
    }
  }
}

/// Returns memory after bursts of work. At rest it has no timer.
final class MemoryReturn: Sendable {
  private static let lookMilliseconds = 5000

  private let meter = Mutex(BurstMeter())
  private let looks = DispatchQueue(label: "kettle.memory")
  private let release: @Sendable () async -> Void

  /// - Parameter release: frees what can be made again and returns free memory.
  init(_ release: @escaping @Sendable () async -> Void) {
    self.release = release
    lookLater()
  }

  /// Counts an event of the engine.
  func observe(_ event: EngineEvent) {
    switch event {
    case .listed(let listed): note(listed.counts.values.reduce(0, +))
    case .evicted(let ids): note(ids.count)
    case .recovered, .added, .changed, .progress, .removed, .loaded, .cleared, .uncovered,
      .limited, .queues, .hooksDue:
      note(1)
    }
  }

  /// Counts an answered request by the size of its reply.
  func note(replyByteCount: Int) { note(1 + replyByteCount / 1024) }

  private func note(_ count: Int) {
    if meter.withLock({ $0.note(count) }) { lookLater() }
  }

  private func lookLater() {
    looks.asyncAfter(deadline: .now() + .milliseconds(Self.lookMilliseconds)) { [weak self] in
      self?.look()
    }
  }

  private func look() {
    switch meter.withLock({ $0.look() }) {
    case .lookAgain: lookLater()
    case .returnMemory:
      Task(executorPreference: WorkerPool.tasks) { [release] in await release() }
    }
  }
}

/// Divides the process's descriptors (RLIMIT_NOFILE), so that a client can always connect, however
/// many downloads run.
struct DescriptorBudget: Hashable, Sendable {
  /// The store and its readers, the log, the event loops, the lock, the listening sockets and those
  /// that watch the network and the desktop.
  private static let reservedCount = 40
  /// A connection to a server has a socket, and at times a file and a host lookup.
  private static let countPerConnection = 3

  let clientCountMax: Int
  let connectionCountMax: Int

  init(limit: Int) {
    clientCountMax = min(max(limit / 5, 4), 256)
    let rest = limit - Self.reservedCount - clientCountMax
    connectionCountMax = max(rest / Self.countPerConnection, 1)
  }
}
