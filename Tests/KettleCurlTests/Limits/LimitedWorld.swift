import KettleModel

@testable import KettleCurl

/// Attempts that accept as much as the limits admit, in simulated time. They receive pieces as from
/// libcurl: up to 16 KiB each, and the unaccepted rest of a piece is delivered again.
struct LimitedWorld {
  struct Source {
    var transfer: TransferID
    /// The speed of its server; nil for faster than any limit.
    var bytesPerSecond: Int64?
    var taken: Int64 = 0
    fileprivate var arrived: Int64 = 0
    fileprivate var isWaiting = false
  }

  private static let pieceByteCount: Int64 = 16 * 1024

  var limits = SpeedLimits()
  var sources: [Source] = []
  var now = MonotonicTime(milliseconds: 1_000_000)
  /// How often attempts were resumed, which is the cost of a limit.
  private(set) var wakeUpCount = 0

  mutating func add(_ transfer: Int64, bytesPerSecond: Int64? = nil) {
    sources.append(
      Source(transfer: TransferID(rawValue: transfer), bytesPerSecond: bytesPerSecond))
  }

  mutating func limit(_ transfer: Int64, to bytesPerSecond: Int64?) {
    limits.limit(TransferID(rawValue: transfer), to: bytesPerSecond, at: now)
  }

  mutating func limitAll(to bytesPerSecond: Int64?) {
    limits.limitAll(to: bytesPerSecond, at: now)
  }

  func id(_ index: Int) -> AttemptID { AttemptID(rawValue: UInt64(index)) }

  var taken: [Int64] { sources.map(\.taken) }
  var sum: Int64 { taken.reduce(0, +) }

  /// Advances the time in steps, as if each iteration of the loop took that long.
  mutating func run(milliseconds: Int64, step: Int64 = 1) {
    let end = now.advanced(byMilliseconds: milliseconds)
    while now < end {
      now = now.advanced(byMilliseconds: step)
      for index in sources.indices {
        sources[index].arrived += (sources[index].bytesPerSecond ?? 1 << 40) * step
        if !sources[index].isWaiting { take(index) }
      }
      guard let turn = limits.nextResumption, turn <= now else { continue }
      for attempt in limits.resume(at: now) {
        wakeUpCount += 1
        sources[Int(attempt.rawValue)].isWaiting = false
        take(Int(attempt.rawValue))
      }
    }
  }

  private mutating func take(_ index: Int) {
    // Arrived bytes are counted in thousandths. A server without a speed has one buffer ready.
    var left = min(sources[index].arrived / 1000 - takenOfPaced(index), 512 * 1024)
    while left > 0 {
      let piece = min(left, Self.pieceByteCount)
      let taken = limits.admit(
        Int(piece), for: id(index), of: sources[index].transfer, at: now)
      sources[index].taken += Int64(taken)
      left -= Int64(taken)
      if taken < Int(piece) {
        sources[index].isWaiting = true
        return
      }
    }
  }

  private func takenOfPaced(_ index: Int) -> Int64 {
    sources[index].bytesPerSecond == nil ? 0 : sources[index].taken
  }
}
