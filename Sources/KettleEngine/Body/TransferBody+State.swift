import KettleModel

extension TransferBody {
  enum Checkpoint: Sendable {
    case none
    /// Requested, or being synced.
    case underWay
    /// Being recorded. Once it is recorded, everything received when it was taken is confirmed.
    case synced(ByteRangeSet, receivedByteCount: Int64)
  }

  enum Writer: Sendable {
    case resting
    /// Scheduled or running.
    case called
  }

  /// What records the checkpoints.
  enum Recorder: Sendable {
    /// The engine, in the order of the transfer's other changes.
    case engine
    /// The engine; once this checkpoint is recorded, the next ones no longer need the engine.
    case engineOnceMore
    /// The thread that made the checkpoint, until another change of the transfer is under way.
    case queue(ProgressStamp, latest: Recorded?)
  }

  /// What is recorded, and since when.
  struct Recorded: Sendable {
    var held: ByteRangeSet
    var at: MonotonicTime
  }

  /// What is received, queued, written and recorded; guarded by one lock.
  struct State: Sendable {
    var segments: [AttemptID: BodySegment] = [:]
    /// The parts to write, in this order.
    var pending: [BlockPart] = []
    var writer = Writer.resting
    var spare: [BlockMemory] = []
    /// The bytes in the file, synced or not.
    var written: ByteRangeSet
    /// Bytes of all attempts since the file was opened, without those that arrived under grants and
    /// are not counted yet.
    var receivedByteCount: Int64 = 0
    /// Bytes that may have arrived in addition.
    var grantedByteCount: Int64 = 0
    var confirmedByteCount: Int64 = 0
    var checkpoint = Checkpoint.none
    var recorder = Recorder.engine
    /// Attempts that wait for the disk.
    var heldBack: Set<AttemptID> = []
    /// A failure of the whole file.
    var failure: TransferFailure?
    /// Set when the whole file is synced and has not been written to since.
    var settled: Synced?

    /// Counts the bytes of an attempt that arrived under its grant, and ends the grant.
    mutating func settle(_ attempt: AttemptID) { change(attempt) { $0.settle() } }

    mutating func settleAll() {
      for attempt in segments.keys { settle(attempt) }
    }

    /// Counts the bytes that arrived under grants, and keeps the grants.
    mutating func countAll() {
      for attempt in segments.keys { change(attempt) { $0.count() } }
    }

    /// Grants more bytes to a settled attempt. Several attempts together get an eighth of what may
    /// be unconfirmed, so that the grants of some do not hold back others.
    mutating func grant(_ attempt: AttemptID) {
      let most = unconfirmedByteCountMax
      let left = most - unconfirmedByteCount
      let share = segments.count > 1 ? most / 8 / Int64(segments.count) : most
      change(attempt) { segment in
        segment.grant(min(left, share))
        return 0
      }
    }

    /// Changes an attempt and updates the sums.
    ///
    /// - Parameter change: returns how many more bytes were received.
    private mutating func change(
      _ attempt: AttemptID, _ change: (inout BodySegment) -> Int64
    ) {
      guard let place = segments.index(forKey: attempt) else { return }
      grantedByteCount -= segments.values[place].grantedByteCount
      receivedByteCount += change(&segments.values[place])
      grantedByteCount += segments.values[place].grantedByteCount
    }

    /// Returns whether an attempt must wait until more is recorded. Bytes that the transport has
    /// already read still arrive, without a call.
    mutating func holdBack(_ attempt: AttemptID) -> Bool {
      guard awaitsRecord else { return false }
      heldBack.insert(attempt)
      segments[attempt]?.grantReserve(TransferBody.transportBufferByteCount)
      return true
    }

    /// Returns the held-back attempts. They may receive more now, under a new grant.
    mutating func letGoOn() -> Set<AttemptID> {
      defer { heldBack = [] }
      // After a failure they learn of it with the next piece.
      if failure == nil {
        for attempt in heldBack {
          settle(attempt)
          grant(attempt)
        }
      }
      return heldBack
    }

    /// Queues the rest of an attempt that is over.
    mutating func handOverLast(_ attempt: AttemptID) {
      settle(attempt)
      if let part = segments[attempt]?.end() { pending.append(part) }
    }

    /// Queues what a checkpoint must write. Returns how many received bytes it covers.
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

    /// Returns the next parts to write, and the ranges already in the file. Takes all consecutive
    /// parts, because one call for each block costs more. Returns nil when nothing is left.
    mutating func takePending() -> (parts: [BlockPart], over: ByteRangeSet)? {
      // After a failure, nothing more of the attempt is written: its bytes are no longer trusted.
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

    /// Confirms that `held` is recorded. Returns the attempts that may continue, and whether to
    /// make a checkpoint for those that may not yet. Returns nil when `held` is not the latest
    /// sync.
    mutating func confirm(_ held: ByteRangeSet) -> (goOn: Set<AttemptID>, asks: Bool)? {
      guard case .synced(held, let byteCount) = checkpoint else { return nil }
      confirmedByteCount = max(confirmedByteCount, byteCount)
      checkpoint = .none
      countAll()
      if heldBack.isEmpty { return ([], false) }
      if shouldConfirmMore { return ([], beginCheckpoint()) }
      return (letGoOn(), false)
    }

    /// Returns false when a checkpoint is already under way.
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

    /// Counts the bytes written by an attempt that is trusted only at its end. Returns how many
    /// bytes do not count; nil when all do.
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

    /// Bytes in blocks that are not full and not queued yet.
    private var gatheredByteCount: Int64 {
      segments.values.reduce(0) { $0 + $1.gatheredByteCount }
    }

    /// Includes the bytes that may have arrived under grants.
    private var unconfirmedByteCount: Int64 {
      receivedByteCount + grantedByteCount - confirmedByteCount
    }

    /// Whether more is received than may be unsynced or unrecorded.
    var awaitsRecord: Bool { unconfirmedByteCount > unconfirmedByteCountMax }

    /// Whether a checkpoint recorded little while much arrived in full blocks, so that the waiting
    /// attempts would receive too much. The rest of the transport's current read arrives in any
    /// case.
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
