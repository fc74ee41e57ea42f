/// Finds constructs that are banned in their file.
enum BannedRule {
  private struct Ban {
    var text: String
    var why: String
    /// Whether the ban applies to a file.
    var holds: @Sendable (SourceText) -> Bool = { _ in true }
    /// Whether letters before the text make it another word: `blueprint(` is not `print(`.
    var isWord = true
  }

  /// Files that are exempt from a ban, each with its reason.
  private static let allowed: [String: Set<String>] = [
    "sleep(": [
      // The implementation behind CommandClock, which tests replace.
      "Sources/KettleCommands/Context/CommandContext.swift",
      // There is no event for another process that begins to listen; it polls with a budget.
      "Sources/KettleSocket/Client/ServiceCalling.swift",
      // There is no event for a process that was stopped; it looks at intervals.
      "Sources/KettleSocket/Client/PendingCalls.swift",
    ],
    // Its own test.
    "WorkerPool.pause(": ["Tests/KettleEngineTests/Threads/WorkerPoolTests.swift"],
  ]

  /// The targets of the service, which sleeps when it has nothing to do.
  private static let serviceTargets: Set<String> = [
    "KettleCurl", "KettleDaemon", "KettleDesktop", "KettleEngine", "KettleFiles", "KettleSocket",
    "KettleStore",
  ]
  private static let wakingWhy = "libdispatch wakes up every second for it; see WorkerPool"

  /// Programs of the library's users and benchmarks; none is built with ThreadSanitizer.
  private static let foreignLockTargets: Set<String> = [
    "AppleSourceSwift5Tests", "AppleSourceSwift6Tests", "Benchmarks", "DocumentationPrograms",
    "DocumentationTests", "Examples", "SessionProgram",
  ]
  private static let lockWhy = "ThreadSanitizer does not see that lock; import KettleSystem"

  private static let bans: [Ban] = [
    Ban(text: "import Synchronization", why: lockWhy) { usesLock($0) && !hasForeignLock($0) },
    Ban(text: "Synchronization.Mutex", why: lockWhy) {
      !hasForeignLock($0) && $0.path != "Sources/KettleSystem/Mutex.swift"
    },
    Ban(text: "try!", why: "a failure is a value, not a crash"),
    Ban(text: "as!", why: "a wrong type is a value, not a crash"),
    Ban(text: "fatalError(", why: "a service does not end deep inside", holds: isNotAllowed),
    Ban(text: "print(", why: "only Commands and the examples talk to people") {
      $0.isSource && $0.target != "KettleCommands" && $0.target != "Examples"
    },
    Ban(
      text: "sleep(", why: "wait for an event with a budget",
      holds: { $0.isTest || isNotAllowed("sleep(", $0) }, isWord: false),
    Ban(text: "WorkerPool.pause(", why: "wait for an event with a budget") {
      $0.isTest && isNotAllowed("WorkerPool.pause(", $0)
    },
    // Foundation's class waits for descendants too, and has crashed inside run() in parallel tests.
    Ban(text: "Process(", why: "a test starts a program with Running", holds: \.isTest),
    Ban(text: "attributes: .concurrent", why: wakingWhy) {
      $0.target.map(serviceTargets.contains) == true
    },
    Ban(text: "DispatchQueue.global", why: wakingWhy) {
      $0.target.map(serviceTargets.contains) == true
    },
    Ban(text: "TransferScheduler(", why: "only the engine owns a scheduler") {
      $0.isSource && $0.path != "Sources/KettleEngine/Engine/TransferEngine.swift"
    },
    Ban(text: "Date()", why: "time comes from EngineClock") {
      $0.isSource && isNotAllowed("Date(", $0)
    },
    Ban(text: "Date.now", why: "time comes from EngineClock") {
      $0.isSource && isNotAllowed("Date(", $0)
    },
  ]

  private static func usesLock(_ file: SourceText) -> Bool {
    file.code.contains { $0.contains(text: "Mutex") || $0.contains(text: "withLock") }
  }

  private static func hasForeignLock(_ file: SourceText) -> Bool {
    file.target.map(foreignLockTargets.contains) == true
  }

  private static func isNotAllowed(_ file: SourceText) -> Bool { isNotAllowed("fatalError(", file) }

  private static func isNotAllowed(_ text: String, _ file: SourceText) -> Bool {
    allowed[text]?.contains(file.path) != true
  }

  static func findings(in file: SourceText) -> [Finding] {
    let bans = bans.filter { $0.holds(file) }
    var findings: [Finding] = []
    for (offset, line) in file.code.enumerated() {
      for ban in bans where contains(line, ban) {
        findings.append(
          Finding(path: file.path, line: offset + 1, why: "\(ban.text) is banned: \(ban.why)"))
      }
      if forceUnwraps(line) {
        findings.append(
          Finding(path: file.path, line: offset + 1, why: "force unwrapping is banned"))
      }
      if file.path.hasPrefix("Sources/"), isClosureBehindLock(line) {
        findings.append(
          Finding(
            path: file.path, line: offset + 1,
            why: "each access wraps the closure in two more; put it in a struct behind the lock"))
      }
      if isUnchecked(line), !isExplained(offset, file) {
        findings.append(
          Finding(
            path: file.path, line: offset + 1, why: "explain in a comment above why this is safe"))
      }
    }
    return findings
  }

  private static func contains(_ line: [UInt8], _ ban: Ban) -> Bool {
    guard line.contains(text: ban.text) else { return false }
    let text = Array(ban.text.utf8)
    for start in 0...(line.count - text.count)
    where line[start] == text[0] && line[start...].starts(with: text) {
      let before = line[..<start]
      if before.suffix(5).elementsEqual("func ".utf8) { continue }
      if !ban.isWord { return true }
      if before.last.map({ isWordByte($0) || $0 == UInt8(ascii: ".") }) != true { return true }
    }
    return false
  }

  /// An exclamation mark directly behind a value or a type, and not the start of `!=`.
  private static func forceUnwraps(_ line: [UInt8]) -> Bool {
    guard line.contains(text: "!") else { return false }
    return line.indices.dropFirst().contains { index in
      guard line[index] == UInt8(ascii: "!") else { return false }
      let next = index + 1 < line.count ? line[index + 1] : UInt8(ascii: " ")
      guard next != UInt8(ascii: "=") else { return false }
      let isCovered = ["try", "as"].contains {
        line[..<index].suffix($0.utf8.count).elementsEqual($0.utf8)
      }
      return !isCovered && (isWordByte(line[index - 1]) || ")]>\"".utf8.contains(line[index - 1]))
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
      || byte > 127
  }

  /// A lock whose value is a closure, an optional one included. The generic type keeps it in
  /// another form than the closure has, and converts it whenever it is read and written back.
  private static func isClosureBehindLock(_ line: [UInt8]) -> Bool {
    guard line.contains(text: "Mutex<") else { return false }
    let text = String(decoding: line, as: UTF8.self)
    guard let type = text.firstRange(of: "Mutex<")?.upperBound else { return false }
    return text[type...].contains(
      /^\(*(@\w+ +)*\([^>]*\) *(async *)?(throws *(\(\w+\))? *)?->/)
  }

  private static func isUnchecked(_ line: [UInt8]) -> Bool {
    line.contains(text: "@unchecked Sendable") || line.contains(text: "nonisolated(unsafe)")
  }

  /// A comment on the line above the declaration, which may be a few lines long.
  private static func isExplained(_ offset: Int, _ file: SourceText) -> Bool {
    for above in stride(from: offset - 1, through: max(0, offset - 4), by: -1) {
      if file.linesWithComment.contains(above) { return true }
      let code = file.code[above]
      let isEndOfOther = code.contains { ";{}".utf8.contains($0) } || code.allSatisfy { $0 == 32 }
      if isEndOfOther { return false }
    }
    return false
  }
}
