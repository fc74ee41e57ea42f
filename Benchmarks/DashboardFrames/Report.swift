import Glibc

/// The measured numbers, as printed.
struct Report {
  let descriptor: Int32
  private var isOver = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  mutating func add(_ name: String, _ value: Double, unit: String, most: Double? = nil) {
    let number = Self.text(value)
    var line = name.padded(to: 30) + String(repeating: " ", count: max(1, 10 - number.utf8.count))
    line += number + " " + unit.padded(to: 3)
    if let most {
      let isWithin = value <= most
      isOver = isOver || !isWithin
      line += isWithin ? " within" : " OVER"
      line += " the budget of \(Self.text(most))"
    }
    say(line)
  }

  func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
  }

  func end() -> Never { exit(isOver ? 1 : 0) }

  /// With three decimals.
  private static func text(_ value: Double) -> String {
    let thousandths = Int64((value * 1000).rounded())
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - utf8.count))
  }
}
