import KettleModel

/// What happens in a run, line by line. Two runs with the same options have the same hash.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulationTrace: @unchecked Sendable {
  /// Whether the lines are kept, and not only their hash (FNV-1a).
  private let keepsLines: Bool
  private(set) var lines: [String] = []
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  /// How much work was done.
  private(set) var workCount = 0
  /// How often events happened of which each should sometimes.
  private(set) var sometimes: [String: Int] = [:]
  private(set) var violations: [String] = []

  init(keepsLines: Bool) { self.keepsLines = keepsLines }

  private func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

  func count(_ label: String, at time: MonotonicTime) {
    workCount += 1
    if let last = label.utf8.last { add(last) }
    add(UInt8(truncatingIfNeeded: time.milliseconds))
  }

  func note(_ line: @autoclosure () -> String, at now: Moment) {
    let line = "\(Self.text(of: now.monotonic)) \(line())"
    for byte in line.utf8 { add(byte) }
    if keepsLines { lines.append(line) }
  }

  func happened(_ event: String) { sometimes[event, default: 0] += 1 }

  func violated(_ what: String, at now: Moment) {
    note("VIOLATED: \(what)", at: now)
    violations.append(what)
  }

  private static func text(of time: MonotonicTime) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let seconds = time.milliseconds / 1000
    let rest = "\(1000 + time.milliseconds % 1000)".dropFirst()
    return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(rest)"
  }
}
