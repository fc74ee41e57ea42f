import KettleModel

/// The hosts beside the graph: their connections, their speed, and what keeps transfers from them.
package struct HostPane: Hashable, Sendable {
  private var hosts: [HostSnapshot] = []
  /// In place of the hosts in the list of a fleet or of several machines.
  private var machines: MachineList?
  private var requestedAt: MonotonicTime?
  /// The recent speeds of each host, by its origin.
  private var speeds: [String: [Int64]] = [:]

  static let intervalMilliseconds: Int64 = 2000
  /// Of machines while nothing is under way.
  private static let longIntervalMilliseconds: Int64 = 10_000
  /// The speeds that are kept of each host.
  private static let countMax = 60

  package init() {}

  /// Returns a request for the hosts while something is under way, every two seconds. Machines are
  /// always of interest.
  mutating func refresh(_ context: ScreenContext) -> [ScreenRequest] {
    let now = context.now.monotonic
    let isBusy = context.totals.underWayCount > 0
    let interval = isBusy ? Self.intervalMilliseconds : Self.longIntervalMilliseconds
    let isDue = requestedAt.map { now.milliseconds(since: $0) >= interval } ?? true
    guard isDue, context.isConnected, isBusy || context.hasMachines else { return [] }
    requestedAt = now
    return [.service(.loadHosts)]
  }

  mutating func receive(_ listed: [FleetHostRow]) { machines = MachineList(listed) }

  mutating func receive(_ listed: [HostSnapshot]) {
    hosts = HostSnapshot.inOrder(listed)
    let before = speeds
    speeds = [:]
    for host in hosts {
      let samples = (before[host.origin] ?? []) + [host.speed]
      speeds[host.origin] = Array(samples.suffix(Self.countMax))
    }
  }

  /// Without the scheme and the port, as the rows show them.
  var names: [String] { hosts.filter(\.isWorking).map(\.plainName) }

  private enum Width {
    static let dots = 8
    static let trend = 6
    static let speed = 10
    static let nameMax = 32
  }

  func draw(
    on canvas: inout Canvas, _ box: TitledBox, rates: RowRates, _ context: ScreenContext
  ) {
    if let machines { return machines.draw(on: &canvas, box, context) }
    // While nothing is under way, the hosts are not requested and would be outdated.
    let isCurrent = context.isConnected && context.totals.underWayCount > 0
    let shown = isCurrent ? hosts : []
    box.draw(
      title: Strings.hostsTitle, key: context.keymap.key(of: "hosts-box"),
      right: shown.isEmpty ? "" : CountText.text(shown.count), on: &canvas)
    let (rows, columns) = box.inside
    drawSums(of: shown, on: &canvas, row: rows.upperBound - 1, columns, context)
    let lines = rows.dropLast()
    let fitting = shown.count <= lines.count ? shown.count : max(0, lines.count - 1)
    for (host, row) in zip(shown.prefix(fitting), lines) {
      draw(host, on: &canvas, row: row, in: columns, rates: rates, context)
    }
    if fitting < shown.count, let row = lines.last {
      canvas.write(
        Strings.moreHosts(shown.count - fitting), row: row, column: columns.lowerBound + 3,
        width: columns.count - 4, .quiet)
    }
  }

  /// Draws how many connections are open, and how much room the disk has.
  private func drawSums(
    of shown: [HostSnapshot], on canvas: inout Canvas, row: Int, _ columns: Range<Int>,
    _ context: ScreenContext
  ) {
    let open = shown.reduce(0) { $0 + min(max(0, $1.connections), 1 << 20) }
    let free = BatchText.free(context.totals) ?? ""
    let width = columns.count - 2
    let left = open > 0 ? Strings.openConnections(open) : ""
    canvas.writeRight(free, row: row, column: columns.lowerBound + 1, width: width, .quiet)
    guard left.count + free.count + 2 <= width else { return }
    canvas.write(left, row: row, column: columns.lowerBound + 1, width: width, .quiet)
  }

  private func draw(
    _ host: HostSnapshot, on canvas: inout Canvas, row: Int, in columns: Range<Int>,
    rates: RowRates, _ context: ScreenContext
  ) {
    let look = canvas.look
    let isWorking = host.isWorking
    let start = columns.lowerBound + 1
    let tick = isWorking ? rates.hostNumber(host.plainName).map(look.host) : nil
    canvas.plot(look.glyphs.tick, row: row, column: start, tick ?? look.style(.box))
    let room = columns.count - 6 - Width.dots - Width.trend - Width.speed
    let name = min(room, Width.nameMax)
    canvas.write(
      host.name, row: row, column: start + 1, width: name, isWorking ? .plain : .quiet,
      cut: .middle)
    let rest = start + name + 2
    guard isWorking else {
      canvas.write(
        Strings.held(host, context.clock, now: context.now.wall), row: row, column: rest,
        width: max(0, columns.upperBound - 1 - rest), host.hasProblem ? .waiting : .quiet)
      return
    }
    drawDots(of: host, on: &canvas, row: row, column: rest, tick ?? look.style(.key))
    let trend = rest + Width.dots + 1
    Sparkline(samples: speeds[host.origin] ?? [], top: top)
      .draw(on: &canvas, row: row, columns: trend..<(trend + Width.trend + room - name))
    let end = columns.upperBound - 1
    canvas.writeRight(
      ByteText.speed(host.speed), row: row, column: end - Width.speed, width: Width.speed)
  }

  /// The fastest host in the last seconds.
  private var top: Int64 { speeds.values.reduce(0) { max($0, $1.max() ?? 0) } }

  /// Draws a dot for each connection; many are counted.
  private func drawDots(
    of host: HostSnapshot, on canvas: inout Canvas, row: Int, column: Int, _ style: Style
  ) {
    let glyphs = canvas.look.glyphs
    let most = max(host.connections, min(host.connectionsMax ?? host.connections, Width.dots))
    guard most <= Width.dots else {
      let limit = host.connectionsMax.map { " of \($0)" } ?? ""
      canvas.write(
        "\(host.connections)" + limit, row: row, column: column, width: Width.dots, .plain)
      return
    }
    for offset in 0..<max(0, most) {
      let isOpen = offset < host.connections
      canvas.plot(
        isOpen ? glyphs.dot : glyphs.dotRest, row: row, column: column + offset,
        isOpen ? style : canvas.look.style(.quiet))
    }
  }
}

extension HostSnapshot {
  fileprivate var speed: Int64 { isWorking ? max(0, bytesPerSecond ?? 0) : 0 }

  /// While it does not answer, connections mean nothing.
  fileprivate var isWorking: Bool { connections > 0 && outage == nil }

  /// Without the scheme and the port, as the rows show it.
  fileprivate var plainName: String {
    let parts = origin.split(separator: "://", maxSplits: 1)
    let name = parts.count > 1 ? parts[1] : parts.first ?? ""
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") { return String(name[...end]) }
    return String(name.prefix { $0 != ":" })
  }

  /// The origin without `https://`.
  fileprivate var name: String {
    let parts = origin.split(separator: "://", maxSplits: 1)
    return (parts.count > 1 ? String(parts[1]) : origin).sanitizedForDisplay(limit: 200)
  }
}
