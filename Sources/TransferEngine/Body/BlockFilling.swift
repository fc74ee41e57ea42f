import Synchronization

/// The block that one attempt fills, and how much of it may be filled without asking anybody.
///
/// Bytes come in pieces of at most 16 KiB, tens of thousands for a big file, and what a
/// `TransferBody` looks up for a piece costs more than to copy it. So the body grants room, and
/// what fits into that needs this lock alone, which nobody holds for long.
final class BlockFilling: Sendable {
  private struct State: Sendable {
    var block: GatheredBlock?
    /// Granted and not filled yet.
    var room = 0
    /// Filled of what was granted.
    var byteCount = 0
  }

  private let state = Mutex(State())

  /// Takes bytes that leave some of the granted room. False, with nothing taken, when they would
  /// not: then the body is to be asked.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard bytes.count < state.room, let block = state.block else { return false }
      let count = block.append(bytes)
      state.room -= count
      state.byteCount += count
      return true
    }
  }

  /// Lets so many bytes be filled into the block that is there; never all of it.
  func grant(_ byteCount: Int) { state.withLock { $0.room = byteCount } }

  /// Ends the grant, and answers how much of it was filled.
  func settle() -> Int {
    state.withLock { state in
      defer { state.byteCount = 0 }
      state.room = 0
      return state.byteCount
    }
  }

  var block: GatheredBlock? {
    get { state.withLock { $0.block } }
    set { state.withLock { $0.block = newValue } }
  }
}
