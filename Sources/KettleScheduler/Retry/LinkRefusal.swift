import KettleModel

/// What is tried when a server refuses a link that has served bytes. One of several servers may
/// lack the file, and some refuse only requests for a part.
enum RefusalRemedy: Sendable, Hashable, CaseIterable {
  /// The same request, after a pause.
  case sameRequest
  /// A request without a range; the present bytes are compared with what comes.
  case wholeFile
  /// Nothing is left to try.
  case none

  /// How often a link is refused in a row before nothing is left.
  static let refusalCountMax = 4

  /// The statuses with which a server says that it does not have the file, or not for this request.
  static let statusesOfLink: Set<Int> = [403, 404, 410]

  /// - Parameters:
  ///   - count: how often the link was refused since bytes last arrived, this time included.
  ///   - isOfRange: whether the refused request was for a part.
  init(_ status: Int, count: Int, isOfRange: Bool) {
    guard count < Self.refusalCountMax else {
      self = .none
      return
    }
    let mayBeOneServer = count == 1 && Self.statusesOfLink.contains(status)
    self = isOfRange && !mayBeOneServer ? .wholeFile : .sameRequest
  }
}

extension TransferFacts {
  /// What follows when a server refuses a link that has served bytes.
  ///
  /// - Parameters:
  ///   - status: as an HTTP status.
  ///   - isOfRange: whether the refused request was for a part.
  mutating func afterRefusedLink(
    _ failure: TransferFailure, status: Int, isOfRange: Bool, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    repetitions.recordRefusedLink()
    let remedy = RefusalRemedy(
      status, count: repetitions.refusedLinkCount, isOfRange: isOfRange)
    switch remedy {
    case .sameRequest:
      return retryingRefused(failure, in: context) ?? lastWord(on: failure, status: status)
    case .wholeFile: return requesting(.comparing)
    case .none: return lastWord(on: failure, status: status)
    }
  }

  /// The end of what can be done without the user.
  func lastWord(on failure: TransferFailure, status: Int) -> TransferMachine.AfterEnding {
    guard !isTask, resumeData?.durable.isEmpty == false,
      status == 400 || RefusalRemedy.statusesOfLink.contains(status)
    else { return .failed(failure) }
    // Bytes are durable, so the link was good once: all are kept for a fresh link.
    return .waiting(
      .forEvent(
        .needsLink, TransferFailure(.linkExpired, on: failure.subject, detail: failure.detail)))
  }

  /// Another try of a file that a host does not have while it serves others: one of several servers
  /// may lack it. nil when the refusal stands.
  mutating func afterMissingFile(
    _ failure: TransferFailure, status: Int, in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    guard [404, 410].contains(status), context.hostServesFiles, spec.content == nil,
      repetitions.refusedLinkCount == 0
    else { return nil }
    repetitions.recordRefusedLink()
    return retryingRefused(failure, in: context)
  }

  /// A wait before the same request; nil when the user permits no further attempt.
  private func retryingRefused(
    _ failure: TransferFailure, in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    let policy = context.retryPolicy.adapted(to: spec.options)
    guard retryCount < policy.retryCountMax else { return nil }
    let milliseconds = policy.delayMilliseconds(retryCount: retryCount, jitter: context.jitter)
    return .waiting(.retrying(after: milliseconds, .retry, failure, at: context.now))
  }

  /// What follows a response that cannot be used, in place of `next`: the file is fetched from its
  /// beginning once nothing else is left, or sooner if little is fetched twice. The present bytes
  /// are compared with it. nil when `next` stands.
  mutating func startingOver(
    after failure: TransferFailure, insteadOf next: TransferMachine.AfterEnding
  ) -> TransferMachine.AfterEnding? {
    guard failure.code == .contradictoryReply || failure.code == .rangeReplyWrong,
      keepsBytes, mirrors.isEmpty, let resumeData, !resumeData.durable.isEmpty,
      resumeData.playlist == nil,
      // A fresh link from the user may be a wrong one.
      resumeData.validatorURL == nil
    else { return nil }
    repetitions.recordUnusableReply()
    guard repetitions.permitsStartingOver else { return nil }
    let isLittle = resumeData.durable.byteCount < RequestedRange.overlapWorthByteCount
    switch next {
    case .failed: break
    case .waiting where isLittle && repetitions.hasManyUnusableReplies: break
    case .waiting, .queued, .paused, .idle, .removed, .queuedFromZero, .cancelled, .request,
      .nextSegment, .whole, .alreadyThere:
      return nil
    }
    repetitions.recordStartingOver()
    return requesting(.fresh(.contradictoryReplies))
  }
}
