import Glibc
import KettleSystem
import struct Synchronization.Atomic
import TestSupport

/// Opens and closes pipes on its own threads, and checks that each descriptor still refers to its
/// pipe. This detects a descriptor that is closed twice: the second close hits one of these.
final class DescriptorChurn: Sendable {
  private struct Held {
    var number: Int32
    var inode: ino_t
  }

  private static let threadCount = 3
  private static let heldCountMax = 8

  private let isOver = Atomic(false)
  private let losses = Mutex<[String]>([])
  private let threadsLeft = Monitor(threadCount)

  func begin() {
    for _ in 0..<Self.threadCount {
      SystemThread.detach {
        self.churn()
        self.threadsLeft.update { $0 -= 1 }
      }
    }
  }

  /// Waits for the threads and returns what they found.
  func end() -> [String] {
    isOver.store(true, ordering: .relaxed)
    _ = threadsLeft.block(forMilliseconds: 60_000) { $0 == 0 }
    return losses.withLock { $0 }
  }

  /// The number of findings so far.
  var lossCount: Int { losses.withLock { $0.count } }

  private func churn() {
    var held: [Held] = []
    while !isOver.load(ordering: .relaxed) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { continue }
      var status = stat()
      guard fstat(ends[0], &status) == 0 else {
        lose("fstat of a new pipe: errno \(errno)")
        continue
      }
      held += ends.map { Held(number: $0, inode: status.st_ino) }
      while held.count > Self.heldCountMax { drop(held.removeFirst()) }
    }
    held.forEach(drop)
  }

  private func drop(_ held: Held) {
    var status = stat()
    let isOwn = fstat(held.number, &status) == 0 && status.st_ino == held.inode
    if !isOwn { lose("descriptor \(held.number) leads somewhere else") }
    // Closing a descriptor that now belongs to another owner would only spread the damage.
    if isOwn, close(held.number) != 0 { lose("close of \(held.number): errno \(errno)") }
  }

  private func lose(_ text: String) { losses.withLock { $0.append(text) } }
}
