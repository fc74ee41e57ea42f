import KettleModel
import TestSupport

/// What can be wrong with the reply to a range request.
enum RangeLie: String, Sendable, CaseIterable {
  case whole, noContentRange, rubbish, otherUnit, lastBeforeFirst, totalTooSmall, unsatisfied
  case beyondCounting, shiftedForward, shiftedBack, otherTotal, multipart, encoded
  case chunkedAndShifted, chunkedUnannounced, tooLongForItsRange, tooManyBytes, lengthOfAnotherRange
  case refused, refusedWithoutTotal

  /// Requests without a range get the truth: a false reply with the complete file could not be
  /// distinguished from a different file.
  func answer(_ request: OriginRequest, insteadOf truth: OriginBehavior) -> OriginBehavior {
    guard request.value(of: "Range") != nil else { return truth }
    return truth.with { behavior in
      switch self {
      case .whole: behavior.ranges = .promisedAndIgnored
      case .noContentRange: behavior.ranges = .withoutContentRange
      case .rubbish: behavior.ranges = .labeled("some of it")
      case .otherUnit: behavior.ranges = .labeled("items 0-9/10")
      case .lastBeforeFirst: behavior.ranges = .labeled("bytes 900000-100/4194304")
      case .totalTooSmall: behavior.ranges = .labeled("bytes 200000-4194303/4194303")
      case .unsatisfied: behavior.ranges = .labeled("bytes */4194304")
      case .beyondCounting:
        behavior.ranges = .labeled("bytes 0-99999999999999999999/99999999999999999999")
      case .shiftedForward: behavior.ranges = .shifted(by: 4096)
      case .shiftedBack: behavior.ranges = .shifted(by: -4096)
      case .otherTotal:
        behavior.sendOtherBytes()
        behavior.ranges = .totalWrong(behavior.body.byteCount + 1)
      case .multipart: behavior.ranges = .multipart
      case .encoded:
        behavior.sendOtherBytes()
        behavior.headers = [HeaderField(received: "Content-Encoding", "gzip")]
      case .chunkedAndShifted:
        behavior.framing = .chunked
        behavior.ranges = .shifted(by: 4096)
      case .chunkedUnannounced: behavior.framing = .chunkedUnannounced
      case .tooLongForItsRange:
        behavior.framing = .untilClose
        behavior.ending = .excess(70_000)
      case .tooManyBytes: behavior.ending = .excess(70_000)
      case .lengthOfAnotherRange: behavior.framing = .contentLengths(["100"])
      case .refused: behavior.ranges = .unsatisfiable
      case .refusedWithoutTotal: behavior.ranges = .unsatisfiableWithoutTotal
      }
    }
  }
}

extension OriginBehavior {
  /// As many bytes of a different file, with the ETag of this one: only the flaw itself reveals
  /// that.
  fileprivate mutating func sendOtherBytes() {
    entityTag = .fixed("\"\(String(body.seed, radix: 16))-\(body.byteCount)\"")
    body = SeededBody(seed: body.seed + 1000, byteCount: body.byteCount)
  }
}
