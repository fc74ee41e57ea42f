import Foundation

/// Counts refetched bytes over any number of connections, from the origin's log alone.
///
/// The origin counts a byte when its kernel accepts it. So its count for a connection includes
/// bytes in flight, which Kettle never read and cannot lose. There are many of them when Kettle
/// reads slowly, under a limit: a receive buffer can hold the entire file. Therefore the bytes in
/// flight are read from the kernel's queues right before each kill, and regularly between kills for
/// connections that end for other reasons; bytes in flight are not charged. The promise applies to
/// the rest after every kill: 8 MiB for each kill that hit the path, or the bytes read in the last
/// moments before it, if that is more. Bytes that several connections fetch twice are not a cost of
/// a kill: an attempt that gives its end away is cut with a full buffer, and the end of a slow one
/// is fetched a second time.
package struct RefetchLedger: Sendable {
  package static let promise: Int64 = 8 << 20
  /// A second, the engine's tick, and the time that a slow disk needs to sync the bytes received in
  /// it.
  package static let lastMoments = Duration.milliseconds(2500)
  /// One receive buffer for each request.
  package static let takenOver: Int64 = 512 << 10
  /// Small, so that few bytes are in flight; SO_SNDBUF, which the kernel doubles (socket(7)).
  package static let sendBufferByteCount: Int32 = 64 << 10

  private struct Strike {
    /// The number of requests that the origin had received.
    var requestCount: Int
    /// The bytes that a kill may cost each path in progress.
    var allowances: [String: Int64]
  }

  /// The bytes of a response that Kettle had read at some time.
  private struct Reading {
    var at: ContinuousClock.Instant
    var byteCount: Int64
  }

  private var strikes: [Strike] = []
  /// By the number of the request, in order; only the last of the older ones is kept.
  private var readings: [Int: [Reading]] = [:]

  package init() {}

  /// Call it right before the kill, with the service stopped or about to be killed.
  package mutating func strike(_ origin: ScriptedOrigin) {
    observe(origin)
    let requests = origin.requests
    // A response that has ended may not be recorded yet, so requests since the last kill count as
    // in progress too.
    let last = strikes.last?.requestCount ?? 0
    let active = requests.filter { $0.progress == .answering || $0.number > last }
    let recent = Dictionary(grouping: active, by: \.path).mapValues { requests in
      requests.reduce(0) { $0 + recentByteCount(of: $1) }
    }
    strikes.append(
      Strike(
        requestCount: requests.count, allowances: recent.mapValues { max(Self.promise, $0) }))
  }

  /// The bytes of a response read in the last moments.
  private func recentByteCount(of request: OriginRequest) -> Int64 {
    guard let readings = readings[request.number], let last = readings.last else { return 0 }
    let limit = ContinuousClock.now - Self.lastMoments
    return last.byteCount - (readings.last { $0.at < limit }?.byteCount ?? 0)
  }

  /// Call it often: a response that ends between two calls is charged as of the first of them.
  package mutating func observe(_ origin: ScriptedOrigin) {
    // The log first: bytes sent in between count as in flight, which charges less.
    let requests = origin.requests
    let queues = SocketQueues(originPort: origin.port)
    // All earlier responses on the same connection were read completely.
    let last = Dictionary(requests.map { ($0.clientPort, $0) }) { _, later in later }
    for request in last.values {
      // A response that was sent completely may still be in the queues.
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

  /// The bytes of a response that Kettle read.
  private func readByteCount(of request: OriginRequest) -> Int64 {
    if let seen = readings[request.number]?.last { return seen.byteCount }
    // A response that was cut before any observation lasted only a moment.
    return request.progress == .abandoned ? 0 : request.bytesSent
  }

  package struct Bill: Sendable {
    package fileprivate(set) var path: String
    package fileprivate(set) var kills: Int
    /// Bytes sent more than once, minus those in flight when their connection ended.
    package fileprivate(set) var refetched: Int64
    /// The maximum after one kill.
    package fileprivate(set) var worst: Int64 = 0
    /// Whether the promise was kept after every kill, not only at the end.
    package fileprivate(set) var isKept = true
    /// The requests and kills, for diagnosis.
    package fileprivate(set) var history = ""

    /// The allowed cost of the kills so far.
    fileprivate var allowance: Int64 = 0

    fileprivate mutating func close(sinceStrike: Int64, requestCount: Int) {
      worst = max(worst, sinceStrike)
      isKept =
        isKept && refetched <= allowance + Int64(requestCount) * RefetchLedger.takenOver
    }
  }

  /// Sums up the cost of `path`.
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
