import KettleModel

/// Parses the output to a terminal like xterm, and collects what the dashboard never sends.
struct SentBytes {
  /// Everything that is neither text nor one of the sequences below.
  private(set) var strange: [String] = []
  /// The numbers of the modes that are set.
  private(set) var modes: Set<String> = []

  init(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      strange = ["bytes that are not UTF-8"]
      return
    }
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar.value {
      // Line ends and backspaces move the cursor; 7 is the bell.
      case 7, 8, 10, 13: break
      case 0x1B: takeSequence(&rest)
      case 0..<32, 127...159: strange.append("control \(scalar.value)")
      default: if scalar.isInvisible { strange.append("invisible \(scalar.value)") }
      }
    }
  }

  private mutating func takeSequence(_ rest: inout Substring.UnicodeScalarView) {
    guard let kind = rest.popFirst() else {
      strange.append("an escape at the end")
      return
    }
    switch kind {
    case "[": takeControl(&rest)
    case "]": takeString(&rest)
    // The character set and the keypad.
    case "(": if rest.popFirst() != "B" { strange.append("a character set") }
    case "=", ">", "7", "8", "M": break
    default: strange.append("Esc \(kind)")
    }
  }

  private mutating func takeControl(_ rest: inout Substring.UnicodeScalarView) {
    let parameters = String(
      String.UnicodeScalarView(rest.prefix { (0x20...0x3F).contains($0.value) }))
    rest = rest.dropFirst(parameters.unicodeScalars.count)
    guard let final = rest.popFirst() else {
      strange.append("an unfinished sequence")
      return
    }
    let whole = parameters + String(final)
    let numbers = parameters.split(separator: ";").map { Int($0) ?? 1_000_000 }
    switch final {
    case "H", "d", "G", "A", "B", "C", "D", "X", "@", "P", "L", "M", "S", "T", "r", "J", "K", "b":
      // We never send numbers larger than any screen.
      if numbers.contains(where: { $0 > 2000 }) { strange.append(whole) }
    case "m": if numbers.contains(where: { $0 > 255 }) { strange.append(whole) }
    case "h", "l":
      let known = [
        "?1", "?7", "?12", "?25", "?12;25", "?1049", "?1000", "?1006", "?2004", "4",
      ]
      guard known.contains(parameters) else {
        strange.append(whole)
        return
      }
      if final == "h" { modes.insert(parameters) } else { modes.remove(parameters) }
    // Saving and restoring the window title, and the query for the terminal's identity.
    case "t": if whole != "22;0;0t", whole != "23;0;0t" { strange.append(whole) }
    case "c": if whole != "c" { strange.append(whole) }
    default: strange.append(whole)
    }
  }

  private mutating func takeString(_ rest: inout Substring.UnicodeScalarView) {
    let text = String(
      String.UnicodeScalarView(rest.prefix { $0.value != 7 && $0.value != 0x1B }))
    rest = rest.dropFirst(text.unicodeScalars.count)
    if rest.popFirst() == "\u{1B}" { _ = rest.popFirst() }
    if text != "11;?" { strange.append("OSC " + text) }
  }
}
