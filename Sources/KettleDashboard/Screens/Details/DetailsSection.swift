import KettleModel

/// The sections of the details screen, in the order of their numbers. The dashboard remembers them
/// by name.
package enum DetailsSection: String, Codable, Hashable, Sendable, CaseIterable {
  case overview, parts, addresses, headers, events, speed

  /// The number that is shown and that selects the section, from 1.
  package var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

  func next(_ step: Int) -> DetailsSection {
    let all = Self.allCases
    return all[(number - 1 + step + all.count) % all.count]
  }
}

/// The connections of a transfer, one per line. Columns that do not fit are dropped from the end.
struct ConnectionTable {
  private let hasPercent: Bool
  private let hasHost: Bool

  init(width: Int) {
    hasPercent = width >= 50
    hasHost = width >= 66
  }

  var header: String {
    line(
      number: "#", range: Strings.columnRange, speed: Strings.columnSpeed,
      percent: Strings.columnDone, host: Strings.columnHost)
  }

  func line(_ connection: ConnectionDetails, _ index: Int) -> String {
    let received = connection.receivedUpTo
    var range = Strings.noResponseYet
    var percent = ""
    if let lower = connection.lower {
      let upper = connection.upper.map(ByteText.size) ?? Strings.theEnd
      range = Strings.range(ByteText.size(lower), upper)
      if let upper = connection.upper, upper > lower {
        // The difference of two numbers from outside may overflow.
        let part = (Double(received) - Double(lower)) / (Double(upper) - Double(lower))
        percent = PercentageText.text(
          Int64(min(max(part, 0), 1) * 1000), of: 1000, isWhole: received >= upper)
      }
    }
    let url = try? TransferURL.parse(connection.url).get()
    return line(
      number: PartsMap.sign(ofConnection: index), range: range,
      speed: ByteText.speed(connection.bytesPerSecond), percent: percent,
      host: url?.url.host ?? "")
  }

  private func line(
    number: String, range: String, speed: String, percent: String, host: String
  ) -> String {
    var text = Self.padded(number, 3) + Self.padded(range, 22) + Self.right(speed, 11)
    if hasPercent { text += "  " + Self.right(percent, 6) }
    if hasHost { text += "  " + host }
    return text
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// A map of a file: the durable parts, the parts being received, and the connections.
package struct PartsMap: Hashable, Sendable {
  package var durable: ByteRangeSet
  package var total: Int64
  package var connections: [ConnectionDetails]
  /// The height in lines.
  package var height: Int
  /// How fast the parts came; nil if unknown.
  package var ridge: Ridge?

  package init(
    durable: ByteRangeSet, total: Int64, connections: [ConnectionDetails], height: Int,
    ridge: Ridge? = nil
  ) {
    self.ridge = ridge
    self.durable = durable
    self.total = total
    self.connections = connections
    self.height = max(1, height)
  }

  /// Returns the connection's number as a symbol; a letter beyond nine.
  package static func sign(ofConnection index: Int) -> String {
    let signs = Array("123456789abcdefghijklmnopqrstuvwxyz")
    return signs.indices.contains(index) ? String(signs[index]) : "*"
  }

  package static func requestedCell(_ charset: Charset) -> String { charset == .ascii ? "-" : "▒" }

  /// Returns the meaning of the symbols, as far as it fits.
  static func legend(hasConnections: Bool, width: Int, _ look: Look) -> String {
    let glyphs = look.glyphs
    var parts = [
      glyphs.receivedCell + " " + Strings.legendReceived,
      requestedCell(look.charset) + " " + Strings.legendRequested,
      glyphs.missingCell + " " + Strings.legendMissing,
    ]
    if hasConnections { parts.append(Strings.legendConnection) }
    while parts.joined(separator: "  ").count > width, parts.count > 1 { parts.removeLast() }
    return parts.joined(separator: "  ")
  }

  /// What has arrived has the color of its speed.
  func draw(line: Int, on canvas: inout Canvas, row: Int, column: Int, width: Int) {
    let (look, width) = (canvas.look, max(1, width))
    guard line < height else { return }
    let cells = cells(count: width * height, look)[(line * width)..<((line + 1) * width)]
    let levels = ridge?.levels(count: width * height) ?? []
    for (offset, cell) in cells.enumerated() {
      let index = line * width + offset
      let style =
        switch cell {
        case look.glyphs.missingCell: look.style(.track)
        case look.glyphs.receivedCell where levels.indices.contains(index):
          look.heat(Double(max(1, levels[index]) - 1) / Double(Ridge.levelMax - 1))
        default: look.style(.progress)
        }
      canvas.plot(cell, row: row, column: column + offset, style)
    }
  }

  private func cells(count: Int, _ look: Look) -> [String] {
    guard total > 0 else { return Array(repeating: " ", count: count) }
    let glyphs = look.glyphs
    var cells = ReceivedMap.cells(durable, total: total, count: count)
      .map { $0 ? glyphs.receivedCell : glyphs.missingCell }
    for connection in connections {
      guard let upper = connection.upper ?? connection.lower.map({ _ in total }) else { continue }
      for cell in range(connection.receivedUpTo, upper, count: count)
      where cells[cell] == glyphs.missingCell {
        cells[cell] = Self.requestedCell(look.charset)
      }
    }
    for (index, connection) in connections.enumerated() where connection.lower != nil {
      cells[cell(of: connection.receivedUpTo, count: count)] = Self.sign(ofConnection: index)
    }
    return cells
  }

  private func cell(of offset: Int64, count: Int) -> Int {
    let part = PercentageText.fraction(offset, of: total)
    return min(Int(part * Double(count)), count - 1)
  }

  private func range(_ lower: Int64, _ upper: Int64, count: Int) -> ClosedRange<Int> {
    let first = cell(of: lower, count: count)
    return first...max(first, cell(of: upper > 0 ? upper - 1 : 0, count: count))
  }
}

/// A line that shows which parts of a file are durable.
package enum ReceivedMap {
  /// Returns which of `count` equal parts of a file are durable as a whole.
  package static func cells(_ durable: ByteRangeSet, total: Int64, count: Int) -> [Bool] {
    guard total > 0, count > 0 else { return [] }
    var covered = Array(repeating: 0.0, count: count)
    let bytesPerCell = Double(total) / Double(count)
    for range in durable.ranges {
      let lower = min(Double(range.lower) / bytesPerCell, Double(count))
      let upper = min(Double(range.upper) / bytesPerCell, Double(count))
      for cell in Int(lower)..<max(Int(lower), min(count, Int(upper) + 1)) {
        covered[cell] += min(upper, Double(cell + 1)) - max(lower, Double(cell))
      }
    }
    return covered.map { $0 > 0.999_999 }
  }
}
