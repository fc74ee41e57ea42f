import Foundation
import Glibc
import TestSupport

/// Aborts the process when the check of an input hangs; the `CrashNote` contains the input.
final class StallAlarm: Sendable {
  private struct Progress: Sendable, Hashable {
    var number = 0
    var hasEnded = false
  }

  private static let budgetMilliseconds: Int64 = 180_000
  private let progress = Monitor(Progress())

  init(part: String) {
    Thread.detachNewThread { [progress] in
      while case let seen = progress.read({ $0 }), !seen.hasEnded {
        let isMoving = progress.block(forMilliseconds: Self.budgetMilliseconds) { $0 != seen }
        guard isMoving else {
          FuzzLog.say("no input was done for 180 s; see .build/fuzz/\(part)", of: part)
          abort()
        }
      }
    }
  }

  func oneDone() { progress.update { $0.number += 1 } }
  func end() { progress.update { $0.hasEnded = true } }
}
