import KettleModel

/// The value of an option, which clients send as texts, numbers, truth values or lists.
struct OptionText {
  let name: String
  /// One text, or the elements of a list.
  let texts: [String]

  /// Returns nil for `null`, which some clients send for an option that was not chosen.
  init?(_ name: String, _ value: RPCValue) throws(RPCError) {
    self.name = name
    switch value {
    case .null: return nil
    case .text(let text): texts = [text]
    case .boolean(let isTrue): texts = [isTrue ? "true" : "false"]
    case .integer(let number): texts = [String(number)]
    case .real(let number): texts = [String(number)]
    case .list(let list): texts = list.compactMap(\.text)
    case .object: throw Self.refusal(of: name, "an object", expected: "a text")
    }
  }

  var text: String { texts.first ?? "" }

  /// The lines of a list, or of one text with several lines. `aria2.getOption` returns a list as
  /// one text, and clients send that text back.
  var lines: [String] {
    texts.flatMap { $0.split(whereSeparator: \.isNewline) }.map { String($0).trimmingBlanks() }
      .filter { !$0.isEmpty }
  }

  func flag() throws(RPCError) -> Bool {
    switch text {
    case "true": return true
    case "false": return false
    default: throw refusal(expected: "true or false")
    }
  }

  func number(_ range: ClosedRange<Int>) throws(RPCError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw refusal(expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number of bytes with K or M; 0 becomes nil, which is no limit.
  func rate() throws(RPCError) -> Int64? {
    if text == "0" { return nil }
    guard let rate = RateText.parse(text) else {
      throw refusal(expected: "bytes per second, such as 500K, or 0")
    }
    return rate
  }

  func refusal(expected: String) -> RPCError {
    Self.refusal(of: name, "\"\(text)\"", expected: expected)
  }

  private static func refusal(of name: String, _ value: String, expected: String) -> RPCError {
    let value = value.sanitizedForDisplay(limit: 200)
    return .refused("The option \(name) is \(value); give \(expected)")
  }
}
