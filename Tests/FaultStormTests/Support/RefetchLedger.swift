import Foundation
import TestSupport

/// Counts what was fetched again, from the origin's log alone: however many connections brought it.
///
/// The origin counts a byte when its kernel took it, so what it counts for a connection that a kill
/// cut is what Kettle had read, and what was still on the way and so was never Kettle's to lose.
/// Right before the kill the bytes on the way are read from the kernel's queues; what the origin
/// got rid of on that connection beyond `sent − on the way` is not charged. The promise is held
/// against the rest, after every kill: 8 MiB for each kill that struck the path. What several
/// connections bring twice is no cost of a kill: one that gives its end away is cut with a buffer
/// full, and the end of a slow one is fetched a second time.
struct RefetchLedger {
  static let promise: Int64 = 8 << 20
  /// A receive buffer, for each request.
  static let takenOver: Int64 = 512 << 10
  /// Small, so that little is on the way; SO_SNDBUF, which the kernel doubles (socket(7)).
  static let sendBufferByteCount: Int32 = 64 << 10

  private struct Strike {
    /// How many requests the origin had seen.
    var requestCount: Int
    var paths: Set<String>
  }

  private var strikes: [Strike] = []
  private var readUpTo: [Int: Int64] = [:]

  /// Call right before the kill, with the service stopped or about to be killed.
  mutating func strike(_ origin: ScriptedOrigin) {
    observe(origin)
    let requests = origin.requests
    // A reply that has ended may not be on record yet, so what was asked since the last kill
    // counts as under way too.
    let last = strikes.last?.requestCount ?? 0
    let active = requests.filter { $0.progress == .answering || $0.number > last }
    strikes.append(Strike(requestCount: requests.count, paths: Set(active.map(\.path))))
  }

  /// Call before anything else that ends connections.
  mutating func observe(_ origin: ScriptedOrigin) {
    // The log first: bytes that are sent in between count as on the way, which charges less.
    let requests = origin.requests
    let queues = SocketQueues(originPort: origin.port)
    let active = requests.filter { $0.progress == .answering }
    for request in active {
      let onTheWay = queues.byteCount(clientPort: request.clientPort)
      readUpTo[request.number] = max(0, request.bytesSent - onTheWay)
    }
  }

  struct Bill {
    var path: String
    var kills: Int
    /// Sent more than once, less what was on the way when a kill struck.
    var refetched: Int64
    /// The most after one kill.
    var worst: Int64 = 0
    /// Whether it was kept after every kill, not only in the end.
    var isKept = true

    fileprivate mutating func close(sinceStrike: Int64, requestCount: Int) {
      worst = max(worst, sinceStrike)
      let allowed =
        Int64(kills) * RefetchLedger.promise + Int64(requestCount) * RefetchLedger.takenOver
      isKept = isKept && refetched <= allowed
    }
  }

  /// Adds up what `path` cost.
  func bill(_ path: String, _ requests: [OriginRequest]) -> Bill {
    var bill = Bill(path: path, kills: 0, refetched: 0)
    var covered = ByteCoverage()
    var sinceStrike: Int64 = 0
    var next = strikes.startIndex
    var requestCount = 0
    for request in requests.sorted(by: { $0.number < $1.number }) where request.path == path {
      while next < strikes.endIndex, strikes[next].requestCount < request.number {
        bill.close(sinceStrike: sinceStrike, requestCount: requestCount)
        sinceStrike = 0
        bill.kills += strikes[next].paths.contains(path) ? 1 : 0
        next += 1
      }
      requestCount += 1
      let sent = request.bodyStart..<request.bodyStart + request.bytesSent
      sinceStrike += covered.overlap(sent)
      bill.refetched += covered.overlap(sent)
      let isCut = request.progress == .abandoned
      let read = isCut ? readUpTo[request.number] ?? request.bytesSent : request.bytesSent
      covered.insert(request.bodyStart..<request.bodyStart + read)
    }
    bill.close(sinceStrike: sinceStrike, requestCount: requestCount)
    return bill
  }
}

/// A set of bytes of a file, as ranges that neither touch nor overlap.
struct ByteCoverage {
  private var ranges: [Range<Int64>] = []

  func overlap(_ other: Range<Int64>) -> Int64 {
    ranges.reduce(0) { $0 + Int64($1.clamped(to: other).count) }
  }

  mutating func insert(_ new: Range<Int64>) {
    guard !new.isEmpty else { return }
    var merged = new
    var kept: [Range<Int64>] = []
    for range in ranges {
      if range.upperBound < merged.lowerBound || range.lowerBound > merged.upperBound {
        kept.append(range)
      } else {
        merged = min(merged.lowerBound, range.lowerBound)..<max(merged.upperBound, range.upperBound)
      }
    }
    ranges = kept + [merged]
  }
}
