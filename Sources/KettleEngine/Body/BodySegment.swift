import KettleModel

/// The part of a body that one attempt brings.
struct BodySegment: Sendable {
  /// Where it ends.
  enum Bound: Sendable, Hashable {
    /// Where the reply ends; nothing else tells.
    case none
    /// The end of the file: a reply that goes on behind it is of another file.
    case whole(Int64)
    /// The end of the range that was asked for: what comes behind it is not taken.
    case part(Int64)
    /// The same where the reply must end there: one that goes on is another than it says.
    case exactly(Int64)
    /// Others take over from there: the attempt ends when it is reached.
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
    /// When the reply has ended properly: a chunk that is announced wrongly spoils bytes before it
    /// is noticed.
    case atItsEnd
  }

  private(set) var bound: Bound
  let trust: Trust
  /// Where it begins.
  let lower: Int64
  /// Up to here it is in the file.
  var writtenUpTo: Int64
  /// Up to here it is there or on its way to be written.
  private var handedUpTo: Int64
  /// As of the last `settle` or `count`.
  private(set) var receivedUpTo: Int64
  private let attempt: AttemptID
  private let blockByteCount: Int64
  let room: GrantedRoom
  /// The block that is being filled.
  private var block: GatheredBlock?
  /// What may have come since then, and counts as received for everybody else.
  private(set) var grantedByteCount: Int64 = 0
  var failure: TransferFailure?

  /// - Parameter blockByteCount: one write for so many bytes; a multiple of
  ///   `GatheredBlock.alignment`.
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

  /// Received and not counted as written yet.
  var underWay: ByteRange? {
    switch trust {
    case .atOnce: ByteRange(lower: writtenUpTo, upper: receivedUpTo)
    case .atItsEnd: ByteRange(lower: lower, upper: receivedUpTo)
    }
  }

  /// Whether as much came as was announced.
  var isWhole: Bool { bound.upper.map { receivedUpTo == $0 } ?? true }

  /// Of that, what nobody writes yet, because its block is not full.
  var gatheredByteCount: Int64 { receivedUpTo - handedUpTo }

  /// All that is wanted is there, though the reply may go on.
  var isSatisfied: Bool {
    guard case .shortened(let upper) = bound else { return false }
    return receivedUpTo >= upper
  }

  /// Counts what was filled under the grant, which ends, and answers how much that was. A piece
  /// that is being filled meanwhile counts the next time. Comes before everything that changes what
  /// the attempt may bring.
  mutating func settle() -> Int64 {
    let byteCount = count(upTo: room.settle())
    grantedByteCount = 0
    return byteCount
  }

  /// The same while the grant goes on: whoever brings the bytes need not ask for another. Comes
  /// before everything that looks at how far the attempt is.
  mutating func count() -> Int64 { count(upTo: room.filledUpTo) }

  private mutating func count(upTo filledUpTo: Int64) -> Int64 {
    let byteCount = filledUpTo - receivedUpTo
    receivedUpTo = filledUpTo
    // Under the reserve of an attempt that is held back nothing is granted, and some comes.
    grantedByteCount = max(0, grantedByteCount - byteCount)
    return byteCount
  }

  /// Lets up to so many bytes come without being asked about, as far as the block and the bound
  /// go. Called when it is settled.
  mutating func grant(_ byteCount: Int64) { grantedByteCount = makeRoom(byteCount) }

  /// The same for bytes that the transport has already, so that they count in any case.
  mutating func grantReserve(_ byteCount: Int64) { _ = makeRoom(byteCount) }

  /// Answers how much there is.
  private func makeRoom(_ byteCount: Int64) -> Int64 {
    guard failure == nil, let block else { return 0 }
    let wanted = bound.upper.map { $0 - receivedUpTo } ?? .max
    let count = min(byteCount, block.upper - receivedUpTo, wanted)
    guard count >= Self.leastGrantByteCount else { return 0 }
    room.grant(upTo: receivedUpTo + count)
    return count
  }

  /// Two pieces of the transport; less is not worth a grant.
  private static let leastGrantByteCount: Int64 = 32 << 10

  mutating func shorten(to upper: Int64) {
    if trust == .atItsEnd { return }
    if let known = bound.upper, known <= upper { return }
    bound = .shortened(max(upper, receivedUpTo))
  }

  /// How many of so many bytes are wanted; nil, with the failure noted, when they are not of this
  /// file.
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

  /// Takes bytes, and answers the blocks that are full now. Called when it is settled.
  ///
  /// - Parameter spare: memory of blocks that were written; taken from where there is some.
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
    // Large pages are there as a whole from the first byte on: not for what is soon over.
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

  /// Gives away what is left of an attempt that is over: nobody fills any more.
  mutating func end() -> BlockPart? {
    defer {
      block = nil
      room.go(on: nil, from: receivedUpTo)
    }
    return handOver(.isOver)
  }

  /// What was gathered and is not on its way yet; the block is filled further behind it.
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
