import KettleModel

/// A piece of a file whose bytes do not have the digest that a document says.
package struct WrongPiece: Sendable, Hashable {
  package var range: ByteRange
  /// The attempts of this run that have sent some of it. Bytes of an earlier run have none.
  package var attempts: Set<AttemptID>

  package init(range: ByteRange, attempts: Set<AttemptID>) {
    self.range = range
    self.attempts = attempts
  }
}

/// Files whose pieces have known digests (RFC 5854, section 4.1.3; BEP 3; BEP 52).
///
/// Each whole piece is compared before it counts, so nothing else has to prove that bytes belong
/// together: no validator, and no repetition of present bytes. A source of wrong bytes is not used
/// again before the user starts the transfer, and the present bytes stay.
extension TransferFacts {
  /// Whether the digests of pieces prove each byte of the file.
  var isProvedByPieces: Bool {
    guard !isTask, spec.content == nil, let pieces = spec.options.described?.pieces?.outline,
      pieces.coversAll, resumeData?.contentCoding == nil, resumeData?.playlist == nil,
      resumeData?.hasUnprovedBytes != true
    else { return false }
    return resumeData?.totalByteCount ?? pieces.byteCount == pieces.byteCount
  }

  /// The algorithm of the digests that have verified a finished file; nil without any.
  var algorithmOfPieces: Checksum.Algorithm? {
    isProvedByPieces ? spec.options.described?.pieces?.outline.algorithm : nil
  }

  /// What follows when pieces are wrong: they are fetched again, from another source if there is
  /// one. If only one source has sent them, it is dropped.
  ///
  /// - Parameter sources: those of attempts that are still known.
  mutating func afterWrongPiece(
    _ wrong: WrongPiece, _ sources: [AttemptID: MirrorTable.SourceID], in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    let liars = Set(wrong.attempts.map { sources[$0] ?? mirrors.source(of: $0) ?? .user })
    let liar = liars.count == 1 ? liars.first : nil
    let url = liar.flatMap { mirrors[$0]?.url } ?? spec.url
    return afterWrongBytes(
      TransferFailure(
        .wrongPiece, on: url.text, detail: "bytes \(wrong.range.lower) to \(wrong.range.lastByte)"),
      from: liar, in: context)
  }

  /// The same for bytes that are others than those that are present. Right pieces stay; the rest is
  /// fetched again, because it is not known which source was wrong.
  mutating func afterDifference(
    _ failure: TransferFailure, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    afterWrongBytes(
      TransferFailure(.wrongPiece, on: urlText, detail: failure.detail), from: nil, in: context)
  }

  private mutating func afterWrongBytes(
    _ failure: TransferFailure, from liar: MirrorTable.SourceID?, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    repetitions.recordWrongPiece()
    let count = repetitions.wrongPieceCount
    guard count <= Self.wrongPieceCountMax + mirrors.sources.count else { return .failed(failure) }
    if mirrors.isEmpty || liar == nil {
      let delay = context.retryPolicy.adapted(to: spec.options)
        .delayMilliseconds(retryCount: count - 1, jitter: context.jitter)
      return .waiting(.retrying(after: delay, .retry, failure, at: context.now))
    }
    if let liar { mirrors.recordLie(of: liar) }
    guard mirrors.hasUsable(at: context.now.monotonic) else { return .failed(failure) }
    if liar == mirrors.opener {
      return failingOver(.failed(failure), mode: .resuming, in: context) ?? .failed(failure)
    }
    return .request(firstFileRequest)
  }

  /// How often wrong pieces are fetched again from a single source.
  static let wrongPieceCountMax = 3
}

extension ActiveDownload {
  /// A piece is wrong: all connections end, and the next run fetches it again.
  func pieceWrong(
    _ wrong: WrongPiece, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    let sources = Dictionary(
      connections.map { ($0.attempt, $0.source) }, uniquingKeysWith: { first, _ in first })
    return .end(facts.afterWrongPiece(wrong, sources, in: context))
  }
}
