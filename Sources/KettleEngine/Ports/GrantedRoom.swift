import Synchronization

/// The place for the next bytes of one attempt, and how many may arrive without a call.
///
/// Bytes arrive in pieces of at most 16 KiB, tens of thousands for a large file. A look-up for each
/// piece costs more than the copy, and so does every lock and every counted reference: the
/// processor executes them only when all earlier copies have left it. So there are two counters.
/// The filling thread publishes its progress in one of them, and bytes below it may be read
/// meanwhile (in memory with a `BlockCopying`, after `BlockMemory.collect`). The other one says
/// where to stop; other threads may lower it to take back a grant.
///
/// `@unchecked` only because of `memory`, which belongs to the filling thread alone.
package final class GrantedRoom: @unchecked Sendable {
  /// Offsets in the file.
  private let filled: Atomic<Int64>
  private let end: Atomic<Int64>
  /// The block's bytes, the offset of the first one, and how to copy into it.
  private var memory: (start: UnsafeMutableRawPointer, lower: Int64, copy: BlockCopying.Copy?)?

  package init(from lower: Int64) {
    filled = Atomic(lower)
    end = Atomic(lower)
  }

  // MARK: By whom fills

  /// Accepts bytes if they leave some of the granted room. Otherwise accepts nothing and returns
  /// false: then the sink must be called.
  package func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let lower = filled.load(ordering: .relaxed)
    let upper = lower + Int64(bytes.count)
    guard upper < end.load(ordering: .relaxed), let memory, let start = bytes.baseAddress else {
      return false
    }
    let place = memory.start.advanced(by: Int(lower - memory.lower))
    if let copy = memory.copy {
      copy(place, start, bytes.count)
    } else {
      place.copyMemory(from: start, byteCount: bytes.count)
    }
    filled.store(upper, ordering: .releasing)
    return true
  }

  /// Continues in this block behind its bytes, and ends the grant. nil when no block is begun.
  func go(on block: GatheredBlock?, from lower: Int64) {
    memory = block.flatMap { block in
      block.start.map { ($0, block.lower, block.memory.copying?.copy) }
    }
    filled.store(lower, ordering: .releasing)
    end.store(lower, ordering: .relaxed)
  }

  // MARK: By anybody, under a lock that whoever fills takes to go on

  /// Grants the bytes up to this offset, which lie in the block; never the last of them.
  func grant(upTo upper: Int64) { end.store(upper, ordering: .relaxed) }

  /// Ends the grant and returns how far it was filled. A piece being accepted meanwhile is still
  /// accepted.
  func settle() -> Int64 {
    let upper = filledUpTo
    end.store(upper, ordering: .relaxed)
    return upper
  }

  /// All bytes below were copied into this block or an earlier one.
  var filledUpTo: Int64 { filled.load(ordering: .acquiring) }
}
