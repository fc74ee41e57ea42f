import KettleModel

extension TransferBody {
  enum Checkpoint: Sendable {
    case none
    /// Asked for, or being synced.
    case underWay
    /// Being recorded. When it is on record, what had been received when it was taken is confirmed.
    case synced(HeldRanges, receivedByteCount: Int64)
  }

  enum Writer: Sendable {
    case resting
    /// It comes, or is at work.
    case called
  }

  /// Who puts on record what a checkpoint put on the disk.
  enum Recorder: Sendable {
    /// The engine, in the order of the transfer's other changes.
    case engine
    /// The engine; when it is on record there, what comes next needs the engine no more.
    case engineOnceMore
    /// The thread that made the checkpoint, until another change of the transfer is under way.
    case queue(ProgressStamp, latest: Recorded?)
  }

  /// What is on record, and since when.
  struct Recorded: Sendable {
    var held: HeldRanges
    var at: MonotonicTime
  }

  /// What is received, on its way to the disk, written and on record; had under one lock.
  struct State: Sendable {
    var segments: [AttemptID: BodySegment] = [:]
    /// To be written, in this order.
    var pending: [BlockPart] = []
    var writer = Writer.resting
    var spare: [BlockMemory] = []
    /// What is in the file, synced or not.
    var written: HeldRanges
    /// Of all attempts since the file was opened, without what came under grants and was not
    /// counted yet.
    var receivedByteCount: Int64 = 0
    /// What may have come besides.
    var grantedByteCount: Int64 = 0
    var confirmedByteCount: Int64 = 0
    var checkpoint = Checkpoint.none
    var recorder = Recorder.engine
    /// Attempts that wait for the disk.
    var heldBack: Set<AttemptID> = []
    /// Of the file as a whole.
    var failure: TransferFailure?
    /// All of the file, synced, and not written to since.
    var settled: Synced?

    /// Counts what an attempt brought without asking. Until the next grant it has to ask.
    mutating func settle(_ attempt: AttemptID) { change(attempt) { $0.settle() } }

    mutating func settleAll() {
      for attempt in segments.keys { settle(attempt) }
    }

    /// Counts what the attempts have brought without asking, and lets them go on.
    mutating func countAll() {
      for attempt in segments.keys { change(attempt) { $0.count() } }
    }

    /// Lets a settled attempt bring more without asking. Several get an eighth of what may
    /// be unconfirmed together, so that the grants of some do not hold back others.
    mutating func grant(_ attempt: AttemptID) {
      let most = unconfirmedByteCountMax
      let left = most - unconfirmedByteCount
      let share = segments.count > 1 ? most / 8 / Int64(segments.count) : most
      change(attempt) { segment in
        segment.grant(min(left, share))
        return 0
      }
    }

    /// Keeps the sums while an attempt changes.
    ///
    /// - Parameter change: answers how much more was received.
    private mutating func change(
      _ attempt: AttemptID, _ change: (inout BodySegment) -> Int64
    ) {
      guard let place = segments.index(forKey: attempt) else { return }
      grantedByteCount -= segments.values[place].grantedByteCount
      receivedByteCount += change(&segments.values[place])
      grantedByteCount += segments.values[place].grantedByteCount
    }

    /// Answers whether an attempt is to wait until more is on record. What the transport has read
    /// of it comes all the same, and without asking.
    mutating func holdBack(_ attempt: AttemptID) -> Bool {
      guard awaitsRecord else { return false }
      heldBack.insert(attempt)
      segments[attempt]?.grantReserve(TransferBody.transportBufferByteCount)
      return true
    }

    /// Answers those that were held back; they may bring more now, and need not ask first.
    mutating func letGoOn() -> Set<AttemptID> {
      defer { heldBack = [] }
      // After a failure they hear of it with the next piece.
      if failure == nil {
        for attempt in heldBack {
          settle(attempt)
          grant(attempt)
        }
      }
      return heldBack
    }

    /// Hands over what is left of an attempt that is over.
    mutating func handOverLast(_ attempt: AttemptID) {
      settle(attempt)
      if let part = segments[attempt]?.end() { pending.append(part) }
    }

    /// Hands over what a checkpoint is to put on the disk, and answers how much was received with
    /// it.
    mutating func handOver(_ extent: Extent) -> Int64 {
      countAll()
      switch extent {
      case .fullBlocks where gatheredByteCount <= unconfirmedByteCountMax / 3:
        return receivedByteCount - gatheredByteCount
      case .fullBlocks, .everything:
        for attempt in segments.keys {
          if let part = segments[attempt]?.takeGathered() { pending.append(part) }
        }
        return receivedByteCount
      }
    }

    /// What is to be written next, with what is in the file: all that follows each other, because
    /// a call for each block costs more. nil when there is nothing.
    mutating func takePending() -> (parts: [BlockPart], over: HeldRanges)? {
      // After a failure nothing more is written of it: what it brought is believed no more.
      while let part = pending.first, !isBelieved(part) { pending.removeFirst() }
      guard let first = pending.first else {
        writer = .resting
        return nil
      }
      var parts = [first]
      for part in pending.dropFirst() {
        guard let last = parts.last, part.follows(last, over: written) else { break }
        parts.append(part)
      }
      pending.removeFirst(parts.count)
      return (parts, written)
    }

    private func isBelieved(_ part: BlockPart) -> Bool {
      guard failure == nil, let segment = segments[part.block.attempt] else { return false }
      return segment.failure == nil
    }

    /// This is on record. Answers those that may go on, and whether a checkpoint is to be made for
    /// those that may not yet; nil when it is not what was synced last.
    mutating func confirm(_ held: HeldRanges) -> (goOn: Set<AttemptID>, asks: Bool)? {
      guard case .synced(held, let byteCount) = checkpoint else { return nil }
      confirmedByteCount = max(confirmedByteCount, byteCount)
      checkpoint = .none
      countAll()
      if heldBack.isEmpty { return ([], false) }
      if shouldConfirmMore { return ([], beginCheckpoint()) }
      return (letGoOn(), false)
    }

    /// False when one is under way.
    mutating func beginCheckpoint() -> Bool {
      guard case .none = checkpoint else { return false }
      checkpoint = .underWay
      return true
    }

    mutating func wrote(_ parts: [BlockPart], _ result: Result<Void, TransferFailure>) {
      settled = nil
      for part in parts { wrote(part, result) }
    }

    private mutating func wrote(_ part: BlockPart, _ result: Result<Void, TransferFailure>) {
      let attempt = part.block.attempt
      switch part.rest {
      case .isFilled: break
      case .isOver:
        if spare.count < TransferBody.spareBlockCountMax { spare.append(part.block.memory) }
      }
      switch result {
      case .success:
        guard let range = part.range else { break }
        switch segments[attempt]?.trust {
        case .atOnce, nil: written.insert(range)
        case .atItsEnd: break
        }
        segments[attempt]?.writtenUpTo = range.upper
      case .failure(let problem):
        if problem.code == .otherVersion {
          segments[attempt]?.failure = problem
        } else {
          failure = problem
        }
      }
    }

    /// Counts what an attempt has written that is trusted at its end only. Returns how many bytes
    /// are not to be counted; nil when all are.
    mutating func settleTrust(in attempt: AttemptID, isComplete: Bool) -> Int64? {
      guard let segment = segments[attempt], segment.trust == .atItsEnd else { return nil }
      settled = nil
      let range = ByteRange(lower: segment.lower, upper: segment.writtenUpTo)
      if isComplete, segment.isWhole, failure == nil, segment.failure == nil {
        if let range { written.insert(range) }
        return nil
      }
      return range.map { written.gaps(in: $0).reduce(0) { $0 + $1.byteCount } } ?? 0
    }

    /// In blocks that are not full, and written by nobody yet.
    private var gatheredByteCount: Int64 {
      segments.values.reduce(0) { $0 + $1.gatheredByteCount }
    }

    /// With what may have come besides.
    private var unconfirmedByteCount: Int64 {
      receivedByteCount + grantedByteCount - confirmedByteCount
    }

    /// More is received than may be neither synced nor on record.
    var awaitsRecord: Bool { unconfirmedByteCount > unconfirmedByteCountMax }

    /// Little was put on record and much has come meanwhile, in full blocks: those who wait would
    /// bring too much. What the transport still has of the read that it is at comes in any case.
    var shouldConfirmMore: Bool {
      let unconfirmed = receivedByteCount - confirmedByteCount
      return unconfirmed > gatheredByteCount
        && unconfirmed + 2 * TransferBody.transportBufferByteCount > unconfirmedByteCountMax
    }

    var unconfirmedByteCountMax: Int64 {
      let inTransport = Int64(segments.count + 1) * TransferBody.transportBufferByteCount
      return max(TransferBody.refetchedByteCountMax - inTransport, 2 << 20)
    }
  }
}
