import Synchronization
import TransferModel

/// Puts the entries of directories on the disk, once for all that wait for it: when many small
/// files get their names at the same time, each would ask for the same sync.
final class SharedSyncs: Sendable {
  private struct Place: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  private let turns = Mutex<[Place: Turn]>([:])

  /// Returns when what was done in the directory before the call is on the disk.
  func sync(_ directory: Directory) throws(Errno) {
    let identity = try directory.status().identity
    let place = Place(device: identity.device, inode: identity.inode)
    let turn = turns.withLock { turns in
      let turn = turns[place] ?? Turn()
      turns[place] = turn
      turn.callers.withLock { $0 += 1 }
      return turn
    }
    defer {
      turns.withLock { turns in
        let left = turn.callers.withLock { callers in
          callers -= 1
          return callers
        }
        if left == 0 { turns[place] = nil }
      }
    }
    try turn.sync(directory)
  }

  /// How many have asked for it since somebody has waited for it.
  func askedCount(of directory: Directory) -> Int {
    guard let identity = try? directory.status().identity else { return 0 }
    let place = Place(device: identity.device, inode: identity.inode)
    return turns.withLock { $0[place]?.askedCount ?? 0 }
  }

  /// Of one directory, as long as somebody waits for it.
  private final class Turn: Sendable {
    private struct Count: Sendable {
      var asked = 0
      /// So many of them are answered, in the order in which they asked.
      var answered = 0
      var failure: (upTo: Int, error: Errno)?
    }

    let callers = Mutex(0)
    private let count = Mutex(Count())
    /// Had by the one who syncs; the others wait for it here.
    private let disk = Mutex(())

    var askedCount: Int { count.withLock { $0.asked } }

    func sync(_ directory: Directory) throws(Errno) {
      let number = count.withLock { count in
        count.asked += 1
        return count.asked
      }
      try disk.withLock { _ throws(Errno) in
        let (answered, failure, asked) = count.withLock { ($0.answered, $0.failure, $0.asked) }
        if number <= answered {
          // The first answer stands: the next sync may be told of success (fsync(2), "Errors").
          if let failure, number <= failure.upTo { throw failure.error }
          return
        }
        do throws(Errno) {
          try directory.sync()
          count.withLock { $0.answered = asked }
        } catch {
          // Also of those who came meanwhile: what they did may have been lost with it.
          count.withLock { count in
            count.answered = count.asked
            count.failure = (count.asked, error)
          }
          throw error
        }
      }
    }
  }
}
