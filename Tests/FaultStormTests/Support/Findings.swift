import Foundation
import Testing
import TestSupport

/// The failures and measurements of a storm, gathered from all its threads.
final class Findings: Sendable {
  private let wrong = Monitor<[String]>([])
  private let known = Monitor<[String]>([])
  private let name: String

  init(_ name: String) {
    self.name = name
    say("seed \(StormRandom.runSeed); repeat it with KETTLE_SEED=\(StormRandom.runSeed)")
  }

  /// Records a failure unless `isRight`.
  func check(_ isRight: Bool, _ sentence: @autoclosure () -> String) {
    guard !isRight else { return }
    let text = sentence()
    wrong.update { $0.append(text) }
    say("WRONG: " + text)
  }

  /// Records a known, unfixed problem: it is reported and does not fail the test.
  func noteKnown(_ text: String) {
    known.update { $0.append(text) }
    say("KNOWN: " + text)
  }

  /// Prints a message for the reader of the run.
  func say(_ text: String) {
    FileHandle.standardError.write(Data("\(name): \(text)\n".utf8))
  }

  /// Runs the storm on a thread that may block, and records an issue for everything that it found.
  static func gather(
    _ name: String, _ location: SourceLocation = #_sourceLocation,
    _ storm: @escaping @Sendable (Findings) throws -> Void
  ) async {
    let findings = Findings(name)
    let start = ContinuousClock.now
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        do { try storm(findings) } catch { findings.check(false, "the storm ended with \(error)") }
        continuation.resume()
      }
    }
    findings.say("took \((ContinuousClock.now - start).components.seconds) s")
    for text in findings.wrong.read({ $0 }) {
      Issue.record("\(text)", sourceLocation: location)
    }
    for text in findings.known.read({ $0 }) {
      withKnownIssue("\(text)") { Issue.record("\(text)", sourceLocation: location) }
    }
  }
}

/// A pause by time: there is no event for "so long after the last kill".
struct Pause {
  private let never = Monitor(false)

  func callAsFunction(milliseconds: Int64) { _ = never.block(forMilliseconds: milliseconds) { $0 } }
}

/// Polls until the condition holds; false if the budget runs out first.
func eventually(milliseconds: Int64, every step: Int64 = 50, _ holds: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + .milliseconds(milliseconds)
  let pause = Pause()
  while !holds() {
    guard ContinuousClock.now < deadline else { return false }
    pause(milliseconds: step)
  }
  return true
}

/// Runs the parts at the same time, each on its own thread, and waits for all of them.
func together(_ parts: [@Sendable () -> Void]) {
  let left = Monitor(parts.count)
  for part in parts {
    Thread.detachNewThread {
      part()
      left.update { $0 -= 1 }
    }
  }
  _ = left.block(forMilliseconds: 3_600_000) { $0 == 0 }
}
