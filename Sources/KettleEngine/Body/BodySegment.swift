import KettleModel

/// The part of a body that one attempt receives.
struct BodySegment: Sendable {
  /// Where the segment ends.
  enum Bound: Sendable, Hashable {
    /// At the end of the response; no size is known.
    case none
    /// At the end of the file. A longer response belongs to another file.
    case whole(Int64)
    /// At the end of the requested range. Bytes past it are ignored.
    case part(Int64)
    /// At the end of the requested range, where the response must end: a longer one is not what it
    /// claims to be.
    case exactly(Int64)
    /// Other attempts take over from there. The attempt ends when it gets there.
    case shortened(Int64)

    var upper: Int64? {
      switch self {
      case .none: nil
      case .whole(let upper), .part(let upper), .exactly(let upper), .shortened(let upper): upper
      }
    }
  }

  /// When the bytes of an attempt count as bytes of the file.
  enum Trust: Sendable, Hashable {
    case atOnce
    /// When the response has ended properly: a chunk with a wrong size corrupts bytes before the
    /// error is noticed.
    case atItsEnd
  }

  private(set) var bound: Bound
  let trust: Trust
  /// The offset of the first byte.
  let lower: Int64
  /// The end of the bytes in the file.
  var writtenUpTo: Int64
  /// The end of the bytes in the file or queued for writing.
  private var handedUpTo: Int64
  /// The end of the bytes received, as of the last `settle` or `count`.
  private(set) var receivedUpTo: Int64
  private let attempt: AttemptID
  private let blockByteCount: Int64
  let room: GrantedRoom
  /// The block being filled.
  private var block: GatheredBlock?
  /// Bytes that may have arrived since then. All other code counts them as received.
  private(set) var grantedByteCount: Int64 = 0
  var failure: TransferFailure?

  /// - Parameter blockByteCount: the size of one write; a multiple of `GatheredBlock.alignment`.
  init(
    _ attempt: AttemptID, from lower: Int64, bound: Bound, trust: Trust = .atOnce,
    blockByteCount: Int64
  ) {
    self.attempt = attempt
    self.trust = trust
    self.lower = lower
    writtenUpTo = lower
    handedUpTo = lower
    receivedUpTo = lower
    room = GrantedRoom(from: lower)
    self.bound = bound
    self.blockByteCount = blockByteCount
  }

  /// The bytes received and not counted as written yet.
  var underWay: ByteRange? {
    switch trust {
    case .atOnce: ByteRange(lower: writtenUpTo, upper: receivedUpTo)
    case .atItsEnd: ByteRange(lower: lower, upper: receivedUpTo)
    }
  }

  /// Whether all announced bytes arrived.
  var isWhole: Bool { bound.upper.map { receivedUpTo == $0 } ?? true }

  /// The bytes received but not queued for writing, because their block is not full.
  var gatheredByteCount: Int64 { receivedUpTo - handedUpTo }

  /// Whether all needed bytes arrived, even if the response continues.
  var isSatisfied: Bool {
    guard case .shortened(let upper) = bound else { return false }
    return receivedUpTo >= upper
  }

  /// Ends the grant and counts the bytes filled under it. Returns their number. A piece being
  /// filled meanwhile counts the next time. Call this before anything that changes what the attempt
  /// may receive.
  mutating func settle() -> Int64 {
    let byteCount = count(upTo: room.settle())
    grantedByteCount = 0
    return byteCount
  }

  /// Counts the filled bytes and keeps the grant, so the transport need not request another one.
  /// Call this before anything that reads the progress of the attempt.
  mutating func count() -> Int64 { count(upTo: room.filledUpTo) }

  private mutating func count(upTo filledUpTo: Int64) -> Int64 {
    let byteCount = filledUpTo - receivedUpTo
    receivedUpTo = filledUpTo
    // A held-back attempt has no grant, but bytes still arrive under its reserve.
    grantedByteCount = max(0, grantedByteCount - byteCount)
    return byteCount
  }

  /// Lets up to `byteCount` bytes arrive without a call, within the block and the bound. Call
  /// `settle` first.
  mutating func grant(_ byteCount: Int64) { grantedByteCount = makeRoom(byteCount) }

  /// Makes room for bytes that the transport has already read, so that they count in any case.
  mutating func grantReserve(_ byteCount: Int64) { _ = makeRoom(byteCount) }

  /// Returns the size of the room.
  private func makeRoom(_ byteCount: Int64) -> Int64 {
    guard failure == nil, let block else { return 0 }
    let wanted = bound.upper.map { $0 - receivedUpTo } ?? .max
    let count = min(byteCount, block.upper - receivedUpTo, wanted)
    guard count >= Self.leastGrantByteCount else { return 0 }
    room.grant(upTo: receivedUpTo + count)
    return count
  }

  /// Two pieces of the transport; a smaller grant does not pay off.
  private static let leastGrantByteCount: Int64 = 32 << 10

  mutating func shorten(to upper: Int64) {
    if trust == .atItsEnd { return }
    if let known = bound.upper, known <= upper { return }
    bound = .shortened(max(upper, receivedUpTo))
  }

  /// Returns how many of `byteCount` bytes are needed. Returns nil and sets `failure` when they do
  /// not belong to this file.
  mutating func allowance(for byteCount: Int) -> Int? {
    guard failure == nil else { return nil }
    guard let upper = bound.upper, receivedUpTo + Int64(byteCount) > upper else {
      return byteCount
    }
    switch bound {
    case .whole:
      failure = TransferFailure(.tooLong, on: "the body", detail: "more than \(upper) bytes")
      return nil
    case .exactly:
      failure = TransferFailure(
        .rangeReplyWrong, on: "the file", detail: "it goes on behind byte \(upper - 1)")
      return nil
    case .none, .part, .shortened: return Int(max(0, upper - receivedUpTo))
    }
  }

  /// Copies bytes into blocks and returns the blocks that are now full. Call `settle` first.
  ///
  /// - Parameter spare: memory of blocks already written, reused when available.
  mutating func gather(
    _ bytes: UnsafeRawBufferPointer, _ spare: inout [BlockMemory], of file: any PartialFile
  ) -> [BlockPart] {
    var full: [BlockPart] = []
    var rest = bytes
    while !rest.isEmpty {
      let filled =
        block
        ?? GatheredBlock(
          of: attempt, from: receivedUpTo, blockByteCount: blockByteCount,
          in: memory(&spare, of: file))
      block = filled
      let count = filled.put(rest, at: receivedUpTo)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      receivedUpTo += Int64(count)
      if receivedUpTo == filled.upper {
        if let part = handOver(.isOver) { full.append(part) }
        block = nil
      }
    }
    room.go(on: block, from: receivedUpTo)
    return full
  }

  private func memory(_ spare: inout [BlockMemory], of file: any PartialFile) -> BlockMemory {
    let byteCount = Int(blockByteCount)
    if let place = spare.lastIndex(where: { $0.bytes.count == byteCount }) {
      return spare.remove(at: place)
    }
    // A large page is backed as a whole from the first byte on, so small bodies do not use one.
    let expected = (bound.upper ?? 0) - receivedUpTo
    guard expected >= Self.largeByteCountMin,
      var parts = file.makeLargeMemory()?.split(
        byteCount: byteCount), let memory = parts.popLast(), memory.bytes.count == byteCount
    else {
      return .ordinary(byteCount: byteCount, alignment: Int(GatheredBlock.alignment))
    }
    spare += parts
    return memory
  }

  private static let largeByteCountMin: Int64 = 8 << 20

  /// Returns the rest of an attempt that is over; nothing fills its block any more.
  mutating func end() -> BlockPart? {
    defer {
      block = nil
      room.go(on: nil, from: receivedUpTo)
    }
    return handOver(.isOver)
  }

  /// Returns the gathered bytes not queued yet. The block is filled further behind them.
  mutating func takeGathered() -> BlockPart? {
    gatheredByteCount > 0 ? handOver(.isFilled) : nil
  }

  private mutating func handOver(_ rest: BlockPart.Rest) -> BlockPart? {
    guard let block else { return nil }
    if receivedUpTo < block.upper { block.memory.collect() }
    defer { handedUpTo = receivedUpTo }
    return BlockPart(
      block: block, range: ByteRange(lower: handedUpTo, upper: receivedUpTo), rest: rest)
  }
}
