import KettleModel

/// From the slot to the first request.
extension TransferMachine {
  /// Actions returned by `slotGiven(…)`.
  package enum SlotAction: Sendable, Hashable {
    /// It was no longer queued.
    case nothing
    case beginAttempt(AttemptPlan)
    case computeDigest(OperationID, ResumeData, Checksum.Algorithm)
    case placeFile(OperationID, ResumeData)
  }

  /// Starts work in a free slot. Unused names are discarded.
  package mutating func slotGiven(_ names: NextNames, at now: Moment) -> SlotAction {
    guard state == .queued else { return .nothing }
    if let whole = wholeResumeData {
      // No reply will report the offset, and the last byte came from before as well.
      if let total = whole.totalByteCount { noteResumed(at: total) }
      switch finish(whole, operation: names.operation) {
      case .digest(let algorithm): return .computeDigest(names.operation, whole, algorithm)
      case .place: return .placeFile(names.operation, record.resumeData ?? whole)
      }
    }
    let ask = AskAgain(
      url: record.spec.url, redirects: .none, asking: .goingOn, content: record.spec.content)
    return .beginAttempt(begin(names.attempt, ask, at: now))
  }

  /// Begins the first attempt of a run: the one that opens the partial file.
  mutating func begin(_ attempt: AttemptID, _ ask: AskAgain, at now: Moment) -> AttemptPlan {
    let asked = askedRange(for: ask.asking)
    var opener = Lane(
      attempt: attempt, url: ask.url, redirects: ask.redirects, asked: asked, range: nil,
      at: now.monotonic)
    opener.content = ask.content
    record.task?.sentByteCount = 0
    enter(
      .running(
        Fetch(
          opener: opener, asking: ask.asking, received: record.resumeData?.held ?? ByteRangeSet())))
    return AttemptPlan(
      attempt: attempt, url: ask.url, redirects: ask.redirects, asked: asked,
      content: ask.content, spec: record.spec)
  }

  /// Below this size, fetching again and comparing is preferred to proof by an overlap.
  static let overlapWorthByteCount: Int64 = 1 << 20

  /// The range to request; nil for the whole file.
  private func askedRange(for asking: Asking) -> RequestedRange? {
    guard let resumeData = record.resumeData, !resumeData.held.isEmpty else { return nil }
    switch asking {
    case .comparing, .fresh: return nil
    case .proving(let proof): return askedRange(resumeData, proof)
    case .goingOn:
      if wrongRangeReplyCount >= Self.wrongRangeReplyCountMax { return nil }
      if let validator = resumeData.validator?.strongValue {
        return askedRange(resumeData, .ifRange(validator))
      }
      guard resumeData.totalByteCount != nil,
        resumeData.held.byteCount >= Self.overlapWorthByteCount
      else { return nil }
      return askedRange(resumeData, .overlap(suspect: nil))
    }
  }

  private func askedRange(_ resumeData: ResumeData, _ proof: RequestedRange.Proof)
    -> RequestedRange?
  {
    let held = resumeData.held
    let total = resumeData.totalByteCount
    let gaps = held.gaps(in: ByteRange(lower: 0, upper: total ?? .max) ?? .nothing)
    switch proof {
    case .ifRange, .sameValidator:
      guard let gap = gaps.first, gap.lower > 0 || total != nil else { return nil }
      return RequestedRange(lower: gap.lower, upper: Self.upper(gap, total), proof: proof)
    case .overlap:
      // There must be bytes before the gap to compare with. If nothing is missing, because the last
      // byte was in flight when the doubt arose, the end of the file is compared.
      let missing = gaps.first { $0.lower > 0 }
      guard let end = missing?.lower ?? (gaps.isEmpty ? total : nil), end > 0 else { return nil }
      let before = held.ranges.last { $0.upper == end }?.lower ?? end
      let lower = max(before, end - Fetch.overlapByteCount)
      return RequestedRange(
        lower: lower, upper: missing.flatMap { Self.upper($0, total) }, proof: proof)
    }
  }

  /// A range up to the end of the file is requested without a last byte, as clients commonly do.
  private static func upper(_ gap: ByteRange, _ total: Int64?) -> Int64? {
    gap.upper == (total ?? .max) ? nil : gap.upper
  }
}
