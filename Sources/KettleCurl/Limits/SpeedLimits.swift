import KettleModel
import KettleSystem

/// Shares the speed limits among attempts: one limit for each transfer, and one for everything.
///
/// An attempt requests bytes before it accepts them. When a limit is exhausted, it waits. Waiting
/// attempts resume together, each with an equal part of the new bytes, so none starves. The loop
/// reads when that will be (`nextResumption`) and which attempts resume (`resume`).
struct SpeedLimits {
  private struct Waiting {
    var attempt: AttemptID
    var transfer: TransferID
    var byteCount: Int64
  }

  /// Bytes that an attempt may accept, already deducted.
  private struct Allowance {
    var transfer: TransferID
    var byteCount: Int64
  }

  private var total: TokenBucket?
  private var ofTransfer: [TransferID: TokenBucket] = [:]
  /// In order of arrival.
  private var waiting: [Waiting] = []
  private var allowances: [AttemptID: Allowance] = [:]

  var isEmpty: Bool { total == nil && ofTransfer.isEmpty }

  /// Returns the lowest limit that applies to a transfer, or nil when none does.
  func bytesPerSecond(for transfer: TransferID) -> Int64? {
    [total, ofTransfer[transfer]].compactMap { $0?.bytesPerSecond }.min()
  }
}

// MARK: - Limits

extension SpeedLimits {
  /// nil, zero and negative values mean no limit.
  mutating func limit(_ transfer: TransferID, to bytesPerSecond: Int64?, at now: MonotonicTime) {
    let old = ofTransfer[transfer]
    guard old?.bytesPerSecond != bytesPerSecond else { return }
    // An allowance under the old limit could be many seconds' worth under the new one.
    revokeAllowances()
    ofTransfer[transfer] = TokenBucket(bytesPerSecond: bytesPerSecond, after: old, at: now)
  }

  mutating func limitAll(to bytesPerSecond: Int64?, at now: MonotonicTime) {
    guard total?.bytesPerSecond != bytesPerSecond else { return }
    revokeAllowances()
    total = TokenBucket(bytesPerSecond: bytesPerSecond, after: total, at: now)
  }
}

// MARK: - Requests

extension SpeedLimits {
  /// Returns how many of `byteCount` bytes the attempt may accept now. If fewer, the attempt waits
  /// from here on.
  mutating func admit(
    _ byteCount: Int, for attempt: AttemptID, of transfer: TransferID, at now: MonotonicTime
  ) -> Int {
    guard !isEmpty else { return byteCount }
    let wanted = Int64(byteCount)
    var taken = useAllowance(wanted, of: attempt)
    if taken < wanted, !isContended(for: transfer) {
      taken += consume(wanted - taken, for: transfer, at: now)
    }
    if taken < wanted {
      waiting.append(
        Waiting(attempt: attempt, transfer: transfer, byteCount: wanted - taken))
    }
    return Int(taken)
  }

  /// Returns unused bytes to the limits.
  private mutating func refund(_ byteCount: Int, of transfer: TransferID) {
    total?.refund(Int64(byteCount))
    ofTransfer[transfer]?.refund(Int64(byteCount))
  }

  /// Removes the attempt from the waiting list and frees its allowance.
  mutating func remove(_ attempt: AttemptID) {
    waiting.removeAll { $0.attempt == attempt }
    if let allowance = allowances.removeValue(forKey: attempt) {
      refund(Int(allowance.byteCount), of: allowance.transfer)
    }
  }

  /// Consumes up to `wanted` bytes of the attempt's allowance.
  private mutating func useAllowance(_ wanted: Int64, of attempt: AttemptID) -> Int64 {
    guard let allowance = allowances[attempt] else { return 0 }
    let taken = min(wanted, allowance.byteCount)
    let rest = allowance.byteCount - taken
    allowances[attempt] =
      rest > 0 ? Allowance(transfer: allowance.transfer, byteCount: rest) : nil
    return taken
  }

  /// Whether others wait already. Attempts of a slow transfer do not delay other transfers, unless
  /// the total limit, which they wait for as well, is exhausted.
  private func isContended(for transfer: TransferID) -> Bool {
    waiting.contains { other in
      guard other.transfer != transfer else { return true }
      guard total != nil else { return false }
      return ofTransfer[other.transfer].map { $0.isWorthResuming } ?? true
    }
  }

  /// Consumes up to `wanted` bytes of both limits.
  private mutating func consume(
    _ wanted: Int64, for transfer: TransferID, at now: MonotonicTime
  ) -> Int64 {
    total?.count(until: now)
    ofTransfer[transfer]?.count(until: now)
    let taken = min(
      wanted, total?.available ?? .max, ofTransfer[transfer]?.available ?? .max)
    total?.consume(taken)
    ofTransfer[transfer]?.consume(taken)
    return taken
  }

  private mutating func revokeAllowances() {
    for allowance in allowances.values {
      refund(Int(allowance.byteCount), of: allowance.transfer)
    }
    allowances = [:]
  }
}

// MARK: - Resuming

extension SpeedLimits {
  /// When the next waiting attempt may resume; nil when none waits.
  var nextResumption: MonotonicTime? {
    guard !waiting.isEmpty else { return nil }
    let atOnce = MonotonicTime(milliseconds: .min)
    let turns = waiting.lazy.map { ofTransfer[$0.transfer]?.worthResumingAt ?? atOnce }
    return max(turns.min() ?? atOnce, total?.worthResumingAt ?? atOnce)
  }

  /// Returns the attempts that resume: those whose limits have enough by now, each allowed an equal
  /// part, or as much as its own transfer's limit allows.
  mutating func resume(at now: MonotonicTime) -> [AttemptID] {
    guard !waiting.isEmpty else { return [] }
    revokeAllowances()
    total?.count(until: now)
    for transfer in Set(waiting.map(\.transfer)) { ofTransfer[transfer]?.count(until: now) }
    if let total, !total.isWorthResuming { return [] }
    var most = shares()
    if let total { most = Self.share(total.available, mostEach: most) }
    return allow(most)
  }

  /// Returns the transfers' limits split among the waiting attempts, by position.
  private func shares() -> [Int64] {
    var shares = [Int64](repeating: .max, count: waiting.count)
    var limited: [TransferID: [Int]] = [:]
    for (index, one) in waiting.enumerated() where ofTransfer[one.transfer] != nil {
      limited[one.transfer, default: []].append(index)
    }
    for (transfer, indices) in limited {
      guard let bucket = ofTransfer[transfer] else { continue }
      let available = bucket.isWorthResuming ? bucket.available : 0
      let parts = Self.share(available, mostEach: indices.map { shares[$0] })
      for (index, part) in zip(indices, parts) { shares[index] = part }
    }
    return shares
  }

  /// Divides `available` into equal parts, none above its maximum; the unused remainder goes to the
  /// others (max-min fairness). The first in order gets the odd byte.
  static func share(_ available: Int64, mostEach most: [Int64]) -> [Int64] {
    var parts = most
    var rest = available
    let order = most.indices.sorted { (most[$0], $0) < (most[$1], $1) }
    for (rank, index) in order.enumerated() {
      let others = Int64(order.count - rank - 1)
      let (part, odd) = rest.quotientAndRemainder(dividingBy: others + 1)
      parts[index] = min(most[index], part + (odd > 0 ? 1 : 0))
      rest -= parts[index]
    }
    return parts
  }

  private mutating func allow(_ parts: [Int64]) -> [AttemptID] {
    var remaining: [Waiting] = []
    var going: [AttemptID] = []
    for (one, part) in zip(waiting, parts) {
      guard part > 0 else {
        remaining.append(one)
        continue
      }
      going.append(one.attempt)
      // Without any limit left there is nothing to count.
      guard total != nil || ofTransfer[one.transfer] != nil else { continue }
      total?.consume(part)
      ofTransfer[one.transfer]?.consume(part)
      allowances[one.attempt] = Allowance(transfer: one.transfer, byteCount: part)
    }
    waiting = remaining
    return going
  }
}

/// The speed limits of all threads of a transport.
///
/// A thread that finds that attempts may resume passes on those that are not its own.
final class SharedSpeedLimits: Sendable {
  private let limits = Mutex(SpeedLimits())
  private let queues = Mutex<[CommandQueue]>([])

  func join(_ queue: CommandQueue) { queues.withLock { $0.append(queue) } }

  /// Lets the other threads resume attempts.
  func passOn(_ ids: [AttemptID], by queue: CommandQueue) {
    guard !ids.isEmpty else { return }
    for other in queues.withLock({ $0 }) where other !== queue {
      other.send(.resumeThrottled(ids))
    }
  }

  // MARK: As SpeedLimits

  func bytesPerSecond(for transfer: TransferID) -> Int64? {
    limits.withLock { $0.bytesPerSecond(for: transfer) }
  }

  func limit(_ transfer: TransferID, to bytesPerSecond: Int64?, at now: MonotonicTime) {
    limits.withLock { $0.limit(transfer, to: bytesPerSecond, at: now) }
  }

  func limitAll(to bytesPerSecond: Int64?, at now: MonotonicTime) {
    limits.withLock { $0.limitAll(to: bytesPerSecond, at: now) }
  }

  func admit(
    _ byteCount: Int, for attempt: AttemptID, of transfer: TransferID, at now: MonotonicTime
  ) -> Int {
    limits.withLock { $0.admit(byteCount, for: attempt, of: transfer, at: now) }
  }

  func remove(_ attempt: AttemptID) { limits.withLock { $0.remove(attempt) } }

  var nextResumption: MonotonicTime? { limits.withLock { $0.nextResumption } }

  func resume(at now: MonotonicTime) -> [AttemptID] { limits.withLock { $0.resume(at: now) } }
}
