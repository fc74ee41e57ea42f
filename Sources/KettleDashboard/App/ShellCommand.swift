import KettleModel

/// The command that does in the shell what a key did, so that people learn it from the screen.
struct ShellCommand: Hashable, Sendable {
  let text: String
  let until: MonotonicTime

  /// Long enough to read and to copy it.
  private static let milliseconds: Int64 = 20_000

  init?(for effect: ServiceEffect, program: String?, at now: MonotonicTime) {
    guard let text = effect.shellCommand(program) else { return nil }
    self.text = text
    until = now.advanced(byMilliseconds: Self.milliseconds)
  }
}

extension ServiceEffect {
  /// Returns nil if there is no such command.
  ///
  /// - Parameter program: The program and its options, or nil when no command reaches the service.
  func shellCommand(_ program: String?) -> String? {
    guard let program, let shellWords else { return nil }
    return program + " " + shellWords
  }

  /// The command without the program. What is secret is left out: the command asks for it.
  fileprivate var shellWords: String? {
    switch self {
    case .control(let verb, let selection): Self.words(verb, selection)
    case .remove(let selection, let withFile):
      Self.words(withFile ? .removeWithFile : .remove, selection)
    case .limit(let selection, let rate):
      selection.words.map { "limit \(rate.map(RateText.text) ?? RateText.none) " + $0 }
    case .assign(let selection, let queue):
      selection.ids.map { "queues move \(queue.text) " + $0 }
    case .configure(let setting) where setting.mayBeSecret: nil
    case .configure(let setting):
      "config set "
        + (setting.words.contains { $0.hasPrefix("-") } ? [setting.key, "--"] : [setting.key])
        .joined(separator: " ") + " "
        + setting.words.map(\.quotedForShell).joined(separator: " ")
    case .add(let specs): Self.words(adding: specs)
    case .relink(let id, let link):
      "start \(id.rawValue) --url " + link.url.text.quotedForShell
        + (link.login.map { " --user " + $0.user.quotedForShell } ?? "")
    case .bin(.undo(let number)): "undo" + (number.map { " \($0)" } ?? "")
    case .bin(.empty): "bin empty"
    case .reset: "reset"
    case .startService: "daemon start"
    case .subscribe, .findDuplicates, .move, .prioritize, .clearFinished, .find, .bin(.list),
      .loadHosts, .sumFinished, .loadDetails, .openFile, .openPage, .remember, .loadMembers,
      .chooseMembers:
      nil
    }
  }

  private static func words(_ verb: ControlVerb, _ selection: TransferSelection) -> String? {
    switch verb {
    case .start: selection.words.map { "start " + $0 }
    case .startFresh: selection.words.map { "start --fresh " + $0 }
    case .pause: selection.words.map { "pause " + $0 }
    case .stop: selection.words.map { "stop " + $0 }
    case .remove: selection.words.map { "remove " + $0 }
    case .removeWithFile: selection.words.map { "remove --with-file " + $0 }
    case .verify: selection.ids.map { "verify " + $0 }
    case .repair: selection.ids.map { "repair " + $0 }
    case .accept: selection.ids.map { "accept " + $0 }
    case .remember: selection.ids.map { "accept --remember " + $0 }
    }
  }

  /// Only for transfers without options: a header may be secret.
  private static func words(adding specs: [TransferSpec]) -> String? {
    let isPlain = specs.allSatisfy { $0 == TransferSpec(url: $0.url) }
    guard (1...3).contains(specs.count), isPlain else { return nil }
    return "add " + specs.map { $0.url.text.quotedForShell }.joined(separator: " ")
  }
}

extension TransferSelection {
  /// More IDs than anybody types.
  private static let idCountMax = 20

  fileprivate var ids: String? {
    switch self {
    case .ids(let ids) where (1...Self.idCountMax).contains(ids.count):
      ids.map { "\($0.rawValue)" }.joined(separator: " ")
    case .ids, .all, .matching: nil
    }
  }

  fileprivate var words: String? {
    switch self {
    case .all: "--all"
    case .ids, .matching: ids
    }
  }
}

extension String {
  /// One word of a shell's command line.
  fileprivate var quotedForShell: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "_-./:@%+,".utf8.contains(byte)
        }
      }
    return isPlain
      ? self
      : "'"
        + split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
