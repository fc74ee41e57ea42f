/// The terminal of a process, as far as its environment identifies it.
package struct TerminalProgram: Hashable, Sendable {
  package enum Multiplexer: Hashable, Sendable {
    case tmux, screen
  }

  /// The name of the terminal description (`TERM`).
  package var name: String
  /// The name of the program (`TERM_PROGRAM`); empty when it does not say.
  package var program: String
  /// The multiplexer between the process and the terminal. The outer terminal shows other windows
  /// too, so it is sent no progress.
  package var multiplexer: Multiplexer?
  /// Whether it shows a `BatchGauge`. Programs give different meanings to OSC 9, and some would
  /// display text meant for others, so only those known to support it receive it.
  package var showsProgress = false

  package init(_ environment: (String) -> String?) {
    name = environment("TERM") ?? ""
    program = environment("TERM_PROGRAM") ?? ""
    if environment("TMUX") != nil || isOfFamily("tmux") {
      multiplexer = .tmux
    } else if environment("STY") != nil || isOfFamily("screen") {
      multiplexer = .screen
    }
    guard multiplexer == nil, !isPlain else { return }
    let version = environment("TERM_PROGRAM_VERSION") ?? ""
    showsProgress =
      isGhostty || environment("WT_SESSION") != nil || environment("ConEmuANSI") == "ON"
      || isWezTerm && Self.isVersion(version, atLeast: [20_250_209])
      || isITerm && Self.isVersion(version, atLeast: [3, 6, 6])
      || Self.isVersion(environment("VTE_VERSION") ?? "", atLeast: [7900])
      || Self.isVersion(environment("KONSOLE_VERSION") ?? "", atLeast: [260_400])
  }

  package var isGhostty: Bool { program == "ghostty" || name == "xterm-ghostty" }
  package var isWezTerm: Bool { program == "WezTerm" }
  package var isITerm: Bool { program == "iTerm.app" }

  /// Whether it understands little more than text.
  package var isPlain: Bool {
    isOfFamily("dumb", "linux", "ansi") || name.hasPrefix("vt1") || name.hasPrefix("vt2")
  }

  /// Whether `name` is one of these, or a variant such as `xterm-256color`.
  package func isOfFamily(_ families: String...) -> Bool {
    families.contains { name == $0 || name.hasPrefix($0 + "-") }
  }

  /// Compares the leading numbers: `3.6.6beta2` is 3, 6, 6.
  private static func isVersion(_ text: String, atLeast wanted: [Int]) -> Bool {
    let numbers = text.split { $0 == "." || $0 == "-" }.map { part in
      Int(part.prefix(while: \.isASCIIDigit)) ?? 0
    }
    for (index, number) in wanted.enumerated() {
      let own = index < numbers.count ? numbers[index] : 0
      if own != number { return own > number }
    }
    return true
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
