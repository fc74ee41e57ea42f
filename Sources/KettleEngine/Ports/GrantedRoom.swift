import Synchronization

/// Where the next bytes of one attempt go, and how far that may be without asking anybody.
///
/// Bytes come in pieces of at most 16 KiB, tens of thousands for a big file. To look something up
/// for a piece costs more than to copy it, and so does every lock and every counted reference: the
/// processor does them when all that was copied before has left it. So there are two counters. Who
/// fills says by one of them how far that is, and what lies below it may be read meanwhile (in
/// memory with a copying of its own, after `BlockMemory.collect`). The other one says where to
/// stop; others may take back what was granted.
///
/// `@unchecked` for `memory` alone: the thread that fills has it, and nobody else.
package final class GrantedRoom: @unchecked Sendable {
  /// Offsets in the file.
  private let filled: Atomic<Int64>
  private let end: Atomic<Int64>
  /// Of the block: its bytes, the offset of the first one, and how they come there.
  private var memory: (start: UnsafeMutableRawPointer, lower: Int64, copy: BlockCopying.Copy?)?

  package init(from lower: Int64) {
    filled = Atomic(lower)
    end = Atomic(lower)
  }

  // MARK: By whom fills

  /// Takes bytes that leave some of the granted room. False, with nothing taken, when they would
  /// not: then the sink is to be asked.
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

  /// Goes on in this block, behind what it has; the grant is over. nil when none is begun.
  func go(on block: GatheredBlock?, from lower: Int64) {
    memory = block.flatMap { block in
      block.start.map { ($0, block.lower, block.memory.copying?.copy) }
    }
    filled.store(lower, ordering: .releasing)
    end.store(lower, ordering: .relaxed)
  }

  // MARK: By anybody, under a lock that whoever fills takes to go on

  /// Lets bytes up to this offset come, which lie in the block; never the last of them.
  func grant(upTo upper: Int64) { end.store(upper, ordering: .relaxed) }

  /// Ends the grant, and answers up to where it was filled. A piece that is being taken meanwhile
  /// is taken all the same.
  func settle() -> Int64 {
    let upper = filledUpTo
    end.store(upper, ordering: .relaxed)
    return upper
  }

  /// What lies below was copied into the block, or into those before.
  var filledUpTo: Int64 { filled.load(ordering: .acquiring) }
}
