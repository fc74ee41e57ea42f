import KettleModel

/// The recent speeds of the running rows, and the hosts that have a color: what the rows are
/// compared by.
package struct RowRates: Hashable, Sendable {
  private var speeds: [TransferID: [Int64]] = [:]
  /// The hosts in the order of their appearance, which determines their color.
  private var hosts: [String] = []
  private var lastAt: MonotonicTime?
  /// The rows that were running or being verified, and when those that are done now were so first.
  private var busy: Set<TransferID> = []
  private var doneAt: [TransferID: MonotonicTime] = [:]
  /// The fastest row in the last seconds.
  private(set) var top: Int64 = 0

  package init() {}

  static let countMax = 12
  private static let hostCountMax = 200

  /// Records the speeds of running rows, at most once a second.
  mutating func record(_ rows: [TransferSnapshot], at now: MonotonicTime) {
    let running = rows.filter { $0.state == .running }
    for row in running { note(String(row.host)) }
    let isNew = lastAt.map { now.milliseconds(since: $0) >= 900 } ?? true
    if isNew { lastAt = now }
    let before = speeds
    speeds = [:]
    for row in running {
      var samples = before[row.id] ?? []
      if isNew { samples.append(0) }
      if let last = samples.indices.last { samples[last] = max(0, row.bytesPerSecond) }
      speeds[row.id] = Array(samples.suffix(Self.countMax))
    }
    top = speeds.values.reduce(0) { max($0, $1.max() ?? 0) }
    doneAt = doneAt.filter { now.milliseconds(since: $0.value) < Self.flashMilliseconds }
    for row in rows where row.state == .completed && busy.contains(row.id) { doneAt[row.id] = now }
    busy = Set(rows.filter { $0.state == .running || $0.state == .verifying }.map(\.id))
  }

  private static let flashMilliseconds: Int64 = 1000

  /// Whether a row was done just now.
  func flashes(_ id: TransferID, at now: MonotonicTime) -> Bool {
    doneAt[id].map { now.milliseconds(since: $0) < Self.flashMilliseconds } ?? false
  }

  /// The time until the last flash ends; nil without one.
  func millisecondsToChange(at now: MonotonicTime) -> Int64? {
    doneAt.values.map { Self.flashMilliseconds - now.milliseconds(since: $0) }.filter { $0 > 0 }
      .max()
  }

  /// Gives a host the next color unless it has one.
  mutating func note(_ host: String) {
    guard !host.isEmpty, hosts.count < Self.hostCountMax, !hosts.contains(host) else { return }
    hosts.append(host)
  }

  /// nil for a host from which nothing has come.
  func hostNumber(_ host: String) -> Int? { hosts.firstIndex(of: host) }

  func samples(of id: TransferID) -> [Int64] { speeds[id] ?? [] }

  /// How hot a speed is beside the others.
  func share(of speed: Int64) -> Double { Sparkline.share(of: speed, top: top) }
}

/// The last speeds in a few cells: Braille dots, two for each cell, or steps.
struct Sparkline {
  let samples: [Int64]
  /// The speed that fills the height.
  let top: Int64

  /// The square root makes 2 MiB/s visible beside 60.
  static func share(of speed: Int64, top: Int64) -> Double {
    guard speed > 0, top > 0 else { return 0 }
    return min(1, Double(speed) / Double(top)).squareRoot()
  }

  func draw(on canvas: inout Canvas, row: Int, columns: Range<Int>) {
    guard !columns.isEmpty else { return }
    let look = canvas.look
    let perCell = look.charset == .utf8 ? 2 : 1
    let shown = samples.suffix(columns.count * perCell)
    let values: [Int64] = Array(repeating: 0, count: columns.count * perCell - shown.count) + shown
    for (offset, column) in columns.enumerated() {
      let pair = values[(offset * perCell)..<((offset + 1) * perCell)]
      let share = Self.share(of: pair.max() ?? 0, top: top)
      guard share > 0 else { continue }
      canvas.plot(sign(pair, share: share, look), row: row, column: column, look.heat(share))
    }
  }

  private func sign(_ pair: ArraySlice<Int64>, share: Double, _ look: Look) -> String {
    guard look.charset == .utf8 else {
      let levels = look.glyphs.levels
      return levels[min(levels.count - 1, Int(share * Double(levels.count)))]
    }
    let heights = pair.map { speed in
      speed > 0 ? max(1, Int(Self.share(of: speed, top: top) * 4 + 0.5)) : 0
    }
    return Braille.cell(left: heights.first ?? 0, right: heights.last ?? 0)
  }
}

/// Cells of Braille dots, two columns wide and four dots high; Unicode block U+2800.
enum Braille {
  /// - Parameters:
  ///   - left: the number of dots from the bottom in the left column.
  ///   - right: the same in the right column.
  static func cell(left: Int, right: Int) -> String {
    let columns: [([UInt32], Int)] = [
      ([0x40, 0x04, 0x02, 0x01], left), ([0x80, 0x20, 0x10, 0x08], right),
    ]
    let bits = columns.reduce(UInt32(0)) { bits, column in
      column.0.prefix(max(0, column.1)).reduce(bits, |)
    }
    return bits == 0 ? " " : Unicode.Scalar(0x2800 + bits).map { String($0) } ?? " "
  }
}
