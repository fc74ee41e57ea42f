import KettleModel

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
