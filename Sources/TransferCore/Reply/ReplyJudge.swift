import TransferModel

/// Decides what a reply is good for before a byte of it is written.
///
/// A range reply is used only when the status is 206, the Content-Range starts where it was asked,
/// the total and the validator are the known ones, and there is no content coding (RFC 9110,
/// sections 13.1.5, 14.4 and 15.3.7). Nothing else is ever written at an offset.
package struct ReplyJudge: Sendable {
  package enum Verdict: Sendable, Hashable {
    /// The body is the whole file, from zero.
    case takeWhole(total: Int64?, Validator?, because: FreshStartReason?)
    case takeRange(ByteRange)
    /// What is held is the whole file already.
    case alreadyWhole
    case askAgain(FreshStartReason)
    case redirect(String)
    case wait(WaitingReason, TransferFailure)
    case retry(TransferFailure, after: RetryAfter?)
    case fail(TransferFailure)
  }

  private let url: TransferURL
  private let asked: AskedRange?
  private let resumeData: ResumeData?

  package init(url: TransferURL, asked: AskedRange?, resumeData: ResumeData?) {
    self.url = url
    self.asked = asked
    self.resumeData = resumeData
  }

  package func judge(_ head: ResponseHead, at now: Moment) -> Verdict {
    switch head.status {
    case 200, 203: return judgeWhole(head)
    case 206: return judgeRange(head)
    case 301, 302, 303, 307, 308: return judgeRedirect(head)
    case 401, 407:
      return .wait(
        .needsLogin, TransferFailure(.loginNeeded, on: url.text, detail: "\(head.status)"))
    case 416: return judgeUnsatisfied(head)
    case 408, 425, 429, 500, 502, 503, 504, 520...524:
      return .retry(statusFailure(head), after: RetryAfter(head, at: now))
    case 403, 404, 410:
      // Bytes are held, so the link was good once: every byte is kept for a fresh one.
      guard let resumeData, !resumeData.held.isEmpty else { return .fail(statusFailure(head)) }
      return .wait(
        .needsLink, TransferFailure(.linkExpired, on: url.text, detail: "\(head.status)"))
    default: return .fail(statusFailure(head))
    }
  }

  private func judgeWhole(_ head: ResponseHead) -> Verdict {
    guard head.isIdentityEncoded || isStoredCompressed(head) else {
      return .fail(
        TransferFailure(
          .encodedReply, on: url.text,
          detail: head.value(of: "Content-Encoding")?.sanitizedForDisplay(limit: 40)))
    }
    let validator = head.validator
    let total = head.bodyByteCount
    guard let resumeData, !resumeData.held.isEmpty else {
      return .takeWhole(total: total, validator, because: nil)
    }
    guard asked != nil else {
      // Asked from zero because nothing told two versions apart; the record says so already.
      return .takeWhole(total: total, validator, because: nil)
    }
    let isSame =
      Self.isSame(resumeData.validator, validator)
      && (total == nil || resumeData.totalByteCount == nil || total == resumeData.totalByteCount)
    return .takeWhole(
      total: total, validator, because: isSame ? .rangeIgnored : .resourceChanged)
  }

  private func judgeRange(_ head: ResponseHead) -> Verdict {
    guard let asked, let resumeData else { return rangeWrong("206 though no range was asked") }
    guard head.isIdentityEncoded else { return rangeWrong("encoded") }
    let type = head.value(of: "Content-Type")?.lowercased() ?? ""
    guard !type.hasPrefix("multipart/byteranges") else { return rangeWrong("several parts") }
    guard let text = head.value(of: "Content-Range"),
      case .part(let range, let total)? = ContentRange(text)
    else { return rangeWrong("no usable Content-Range") }
    guard range.lower == asked.offset else {
      return rangeWrong("from byte \(range.lower), asked from \(asked.offset)")
    }
    if let known = resumeData.totalByteCount, let total, known != total {
      return .askAgain(.resourceChanged)
    }
    if let known = resumeData.totalByteCount, range.upper > known {
      return rangeWrong("up to byte \(range.lastByte) of \(known)")
    }
    if let known = resumeData.validator, let sent = head.validator, !Self.isSame(known, sent) {
      return .askAgain(.resourceChanged)
    }
    if let length = head.bodyByteCount, length != range.byteCount {
      return rangeWrong("\(length) bytes announced for a range of \(range.byteCount)")
    }
    return .takeRange(range)
  }

  private func judgeUnsatisfied(_ head: ResponseHead) -> Verdict {
    guard asked != nil, let resumeData else { return .fail(statusFailure(head)) }
    guard let text = head.value(of: "Content-Range"),
      case .unsatisfied(let total)? = ContentRange(text)
    else { return .askAgain(.rangeIgnored) }
    let held = resumeData.held.prefixByteCount
    let isKnownTotal = resumeData.totalByteCount == nil || resumeData.totalByteCount == total
    return held == total && isKnownTotal ? .alreadyWhole : .askAgain(.resourceChanged)
  }

  private func judgeRedirect(_ head: ResponseHead) -> Verdict {
    let locations = head.values(of: "Location")
    guard let location = locations.first else { return .fail(statusFailure(head)) }
    guard locations.count == 1 else {
      return .fail(
        TransferFailure(.redirectRefused, on: url.text, detail: "more than one Location"))
    }
    return .redirect(location)
  }

  private func rangeWrong(_ detail: String) -> Verdict {
    .retry(TransferFailure(.rangeReplyWrong, on: url.text, detail: detail), after: nil)
  }

  private func statusFailure(_ head: ResponseHead) -> TransferFailure {
    TransferFailure(.httpStatus, on: url.text, detail: "\(head.status)")
  }

  /// Old servers label a stored `.gz` file with its own compression as a content coding; the bytes
  /// are then the file all the same.
  private func isStoredCompressed(_ head: ResponseHead) -> Bool {
    let coding = head.value(of: "Content-Encoding")?.lowercased() ?? ""
    let path = url.path.lowercased()
    return (coding == "gzip" || coding == "x-gzip")
      && (path.hasSuffix(".gz") || path.hasSuffix(".tgz"))
  }

  /// Strong comparison where there are ETags (RFC 9110, section 8.8.3.2), else the dates.
  static func isSame(_ known: Validator?, _ sent: Validator?) -> Bool {
    guard let known, let sent else { return false }
    if let left = known.entityTag, let right = sent.entityTag { return left == right }
    guard let left = known.lastModified, let right = sent.lastModified else { return false }
    return left == right
  }
}
