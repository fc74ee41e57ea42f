import Foundation
import Testing
import TestSupport

/// What a storm found wrong and what it measured, gathered from all its threads.
final class Findings: Sendable {
  private let wrong = Monitor<[String]>([])
  private let known = Monitor<[String]>([])
  private let name: String

  init(_ name: String) {
    self.name = name
    say("seed \(StormRandom.runSeed); repeat it with KETTLE_SEED=\(StormRandom.runSeed)")
  }

  /// Notes what is wrong unless `isRight`.
  func check(_ isRight: Bool, _ sentence: @autoclosure () -> String) {
    guard !isRight else { return }
    let text = sentence()
    wrong.update { $0.append(text) }
    say("WRONG: " + text)
  }

  /// Notes what is known to be wrong and not yet put right: it is told, and fails nothing.
  func noteKnown(_ text: String) {
    known.update { $0.append(text) }
    say("KNOWN: " + text)
  }

  /// Tells people a number.
  func say(_ text: String) {
    FileHandle.standardError.write(Data("\(name): \(text)\n".utf8))
  }

  /// Runs the storm on a thread that may block, and makes an issue of everything that it found.
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

/// A moment that only time brings: there is no event for "so long after the last kill".
struct Pause {
  private let never = Monitor(false)

  func callAsFunction(milliseconds: Int64) { _ = never.block(forMilliseconds: milliseconds) { $0 } }
}

/// Asks again and again until it holds; false when the budget ran out first.
func eventually(milliseconds: Int64, every step: Int64 = 50, _ holds: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + .milliseconds(milliseconds)
  let pause = Pause()
  while !holds() {
    guard ContinuousClock.now < deadline else { return false }
    pause(milliseconds: step)
  }
  return true
}

/// Runs the parts at the same time, each on a thread of its own, to the end of all.
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
