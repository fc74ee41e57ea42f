import KettleModel

/// The hosts beside the graph: their connections, their speed, and what keeps transfers from them.
package struct HostPane: Hashable, Sendable {
  private var hosts: [HostSnapshot] = []
  private var requestedAt: MonotonicTime?

  static let intervalMilliseconds: Int64 = 2000

  package init() {}

  /// Returns a request for the hosts while something is under way, every two seconds.
  mutating func refresh(_ context: ScreenContext) -> [ScreenRequest] {
    let now = context.now.monotonic
    let isDue = requestedAt.map { now.milliseconds(since: $0) >= Self.intervalMilliseconds } ?? true
    guard isDue, context.isConnected, context.totals.underWayCount > 0 else { return [] }
    requestedAt = now
    return [.service(.loadHosts)]
  }

  mutating func receive(_ listed: [HostSnapshot]) { hosts = HostSnapshot.inOrder(listed) }

  private enum Width {
    static let connections = 6
    static let speed = 11
    static let reason = 21
  }

  func draw(on canvas: inout Canvas, rows: Range<Int>, _ context: ScreenContext) {
    let width = canvas.size.columns
    let name = max(8, width - Width.connections - Width.speed - Width.reason - 4)
    let (speed, reason) = (name + Width.connections + 1, name + Width.connections + Width.speed + 3)
    for (offset, row) in rows.enumerated() {
      canvas.write(canvas.look.glyphs.vertical, row: row, column: 0, width: 1, .quiet)
      if offset == 0 {
        canvas.write(Strings.hostsTitle, row: row, column: 2, width: name, .columnHeader)
        canvas.writeRight(
          Strings.columnConnections, row: row, column: name, width: Width.connections,
          .columnHeader)
        canvas.writeRight(
          Strings.columnSpeed, row: row, column: speed, width: Width.speed, .columnHeader)
        canvas.write(
          Strings.labelHeldBack, row: row, column: reason, width: Width.reason, .columnHeader)
        continue
      }
      // While nothing is under way, the hosts are not requested and would be outdated.
      guard hosts.indices.contains(offset - 1), context.isConnected,
        context.totals.underWayCount > 0
      else { continue }
      let host = hosts[offset - 1]
      canvas.write(host.name, row: row, column: 2, width: name - 2, cut: .middle)
      canvas.writeRight(
        "\(host.connections)" + (host.connectionsMax.map { "/\($0)" } ?? ""), row: row,
        column: name, width: Width.connections)
      if host.connections > 0, let bytesPerSecond = host.bytesPerSecond {
        canvas.writeRight(
          ByteText.speed(bytesPerSecond), row: row, column: speed, width: Width.speed)
      }
      canvas.write(
        Strings.held(host, context.clock, now: context.now.wall), row: row, column: reason,
        width: max(0, width - reason), host.hasProblem ? .waiting : .quiet)
    }
  }
}

extension HostSnapshot {
  /// The origin without `https://`.
  fileprivate var name: String {
    let parts = origin.split(separator: "://", maxSplits: 1)
    return (parts.count > 1 ? String(parts[1]) : origin).sanitizedForDisplay(limit: 200)
  }
}
