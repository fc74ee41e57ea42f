import Foundation

/// Counts what was fetched again, from the origin's log alone: however many connections brought it.
///
/// The origin counts a byte when its kernel took it, so what it counts for a connection is what
/// Kettle had read, and what was still on the way and so was never Kettle's to lose. That is much
/// where Kettle reads slowly, under a limit: a receive buffer may take the whole file. So what is
/// on the way is read from the kernel's queues right before each kill, and steadily besides, for
/// connections that end otherwise; what the origin got rid of beyond that is not charged. The
/// promise is held against the rest, after every kill: 8 MiB for each kill that struck the path, or
/// what was read in the last moments before it, if that is more. What several connections bring
/// twice is no cost of a kill: one that gives its end away is cut with a buffer full, and the end
/// of a slow one is fetched a second time.
package struct RefetchLedger: Sendable {
  package static let promise: Int64 = 8 << 20
  /// A second, the engine's tick, and the time that a slow disk takes to sync what arrived in it.
  package static let lastMoments = Duration.milliseconds(2500)
  /// A receive buffer, for each request.
  package static let takenOver: Int64 = 512 << 10
  /// Small, so that little is on the way; SO_SNDBUF, which the kernel doubles (socket(7)).
  package static let sendBufferByteCount: Int32 = 64 << 10

  private struct Strike {
    /// How many requests the origin had seen.
    var requestCount: Int
    /// What a kill may cost each path that was being fetched.
    var allowances: [String: Int64]
  }

  /// What Kettle had read of a reply at some time.
  private struct Reading {
    var at: ContinuousClock.Instant
    var byteCount: Int64
  }

  private var strikes: [Strike] = []
  /// By the number of the request, in order; of the older ones only the last.
  private var readings: [Int: [Reading]] = [:]

  package init() {}

  /// Call right before the kill, with the service stopped or about to be killed.
  package mutating func strike(_ origin: ScriptedOrigin) {
    observe(origin)
    let requests = origin.requests
    // A reply that has ended may not be on record yet, so what was asked since the last kill
    // counts as under way too.
    let last = strikes.last?.requestCount ?? 0
    let active = requests.filter { $0.progress == .answering || $0.number > last }
    let recent = Dictionary(grouping: active, by: \.path).mapValues { requests in
      requests.reduce(0) { $0 + recentByteCount(of: $1) }
    }
    strikes.append(
      Strike(
        requestCount: requests.count, allowances: recent.mapValues { max(Self.promise, $0) }))
  }

  /// What was read of a reply in the last moments.
  private func recentByteCount(of request: OriginRequest) -> Int64 {
    guard let readings = readings[request.number], let last = readings.last else { return 0 }
    let limit = ContinuousClock.now - Self.lastMoments
    return last.byteCount - (readings.last { $0.at < limit }?.byteCount ?? 0)
  }

  /// Call often: what ends between two calls is charged as far as the first of them saw it.
  package mutating func observe(_ origin: ScriptedOrigin) {
    // The log first: bytes that are sent in between count as on the way, which charges less.
    let requests = origin.requests
    let queues = SocketQueues(originPort: origin.port)
    // Of those before it on its connection all was read.
    let last = Dictionary(requests.map { ($0.clientPort, $0) }) { _, later in later }
    for request in last.values {
      // A reply that is all sent may lie in the queues all the same.
      guard let onTheWay = queues.byteCount(clientPort: request.clientPort) else { continue }
      note(max(0, request.bytesSent - onTheWay), of: request)
    }
  }

  private mutating func note(_ byteCount: Int64, of request: OriginRequest) {
    let now = ContinuousClock.now
    var known = readings[request.number] ?? []
    known.append(Reading(at: now, byteCount: byteCount))
    let olderCount = known.count { $0.at < now - Self.lastMoments }
    known.removeFirst(max(0, olderCount - 1))
    readings[request.number] = known
  }

  /// What Kettle read of a reply.
  private func readByteCount(of request: OriginRequest) -> Int64 {
    if let seen = readings[request.number]?.last { return seen.byteCount }
    // One that nobody saw before it was cut lasted a moment.
    return request.progress == .abandoned ? 0 : request.bytesSent
  }

  package struct Bill: Sendable {
    package fileprivate(set) var path: String
    package fileprivate(set) var kills: Int
    /// Sent more than once, less what was on the way when its connection ended.
    package fileprivate(set) var refetched: Int64
    /// The most after one kill.
    package fileprivate(set) var worst: Int64 = 0
    /// Whether it was kept after every kill, not only in the end.
    package fileprivate(set) var isKept = true
    /// What was asked for, and when it was struck, for those who look into it.
    package fileprivate(set) var history = ""

    /// What the kills so far may have cost.
    fileprivate var allowance: Int64 = 0

    fileprivate mutating func close(sinceStrike: Int64, requestCount: Int) {
      worst = max(worst, sinceStrike)
      isKept =
        isKept && refetched <= allowance + Int64(requestCount) * RefetchLedger.takenOver
    }
  }

  /// Adds up what `path` cost.
  package func bill(_ path: String, _ requests: [OriginRequest]) -> Bill {
    var bill = Bill(path: path, kills: 0, refetched: 0)
    var covered = ByteCoverage()
    var sinceStrike: Int64 = 0
    var next = strikes.startIndex
    var requestCount = 0
    for request in requests.sorted(by: { $0.number < $1.number }) where request.path == path {
      while next < strikes.endIndex, strikes[next].requestCount < request.number {
        bill.close(sinceStrike: sinceStrike, requestCount: requestCount)
        sinceStrike = 0
        if let allowance = strikes[next].allowances[path] {
          bill.kills += 1
          bill.allowance += allowance
          bill.history += "; a kill that may cost \(allowance)"
        }
        next += 1
      }
      requestCount += 1
      let (start, read) = (request.bodyStart, readByteCount(of: request))
      let again = covered.overlap(start..<start + request.bytesSent)
      sinceStrike += again
      bill.refetched += again
      covered.insert(start..<start + read)
      bill.history += """
        ; from \(start) \(request.bytesSent) sent, \(read) read, \(again) again, \(request.progress)
        """
    }
    bill.close(sinceStrike: sinceStrike, requestCount: requestCount)
    return bill
  }
}
