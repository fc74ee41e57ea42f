import KettleModel

/// Replies other than the file that a plain GET requests.
extension ResponseClassifier {
  /// Which statuses have a body that is accepted.
  package enum Acceptance: Sendable, Hashable {
    /// 200 and 203, and 206 for a range: the user wants the file or nothing.
    case file
    /// Every success status; any other ends the transfer.
    case success
    /// Every final status: a program inspects it and decides, as with `URLSession`. With durable
    /// bytes, a temporary error does not end the transfer that they belong to.
    case any
  }

  /// nil when the general rules apply to the reply.
  func classifyAccepted(_ head: ResponseHead, at now: Moment) -> Classification? {
    guard acceptance != .file else { return nil }
    switch head.status {
    case ..<200: return nil
    case 200, 203: return standsAsItIs(head) ? classifyAsItStands(head) : nil
    // Ranges are only ever requested by a plain GET.
    case 206: return content == nil ? nil : classifySuccess(head)
    case 200..<300: return classifySuccess(head)
    case 301, 302, 303, 307, 308:
      return head.values(of: "Location").isEmpty ? classifyFinal(head) : nil
    case 401, 407: return isAskedForLogin(head) ? nil : classifyFinal(head)
    case 416 where requested != nil: return nil
    default: return classifyRefusalAccepted(head, at: now)
    }
  }

  private func classifyRefusalAccepted(_ head: ResponseHead, at now: Moment) -> Classification? {
    let hasRetryAfter = RetryAfter(head, at: now) != nil
    switch StatusMeaning(status: head.status, hasRetryAfter: hasRetryAfter) {
    case .passing, .host, .network:
      return acceptance == .any && !hasDurableBytes ? classifyAsItStands(head) : nil
    case .final where acceptance == .success && hasDurableBytes: return nil
    case .final, .user: return classifyFinal(head)
    }
  }

  private func classifySuccess(_ head: ResponseHead) -> Classification {
    standsAsItIs(head) ? classifyAsItStands(head) : classifyWhole(head)
  }

  /// The verdict on a status that another attempt would not change.
  private func classifyFinal(_ head: ResponseHead) -> Classification {
    acceptance == .any ? classifyAsItStands(head) : .fail(statusFailure(head))
  }

  /// The body is the page that came with the status. It is the file for the program but no part of
  /// the requested file, so nothing is compared and no validator is kept.
  private func classifyAsItStands(_ head: ResponseHead) -> Classification {
    let facts = FileFacts(
      total: bodyByteCount(head), mediaType: head.mediaType, contentCoding: contentCoding(head))
    guard resumeData != nil else { return .acceptWhole(Whole(facts: facts, use: .new)) }
    if case .fresh(let reason) = mode {
      return .acceptWhole(Whole(facts: facts, use: .instead(because: reason)))
    }
    let use: Whole.Use = hasDurableBytes ? .instead(because: .resourceChanged) : .new
    return .acceptWhole(Whole(facts: facts, use: use))
  }

  /// The request has had its effect, and the status is its outcome: a server that encodes the body
  /// against the request, or calls it a part, must not turn it into a failure.
  private func standsAsItIs(_ head: ResponseHead) -> Bool {
    acceptance == .any && content != nil
      && (head.contentCoding != nil || !head.values(of: "Content-Range").isEmpty)
  }

  /// A 401 that names no scheme is only a page (RFC 9110, section 15.5.2, forbids it).
  private func isAskedForLogin(_ head: ResponseHead) -> Bool {
    guard challengePolicy == .ask else { return false }
    let name = head.status == 401 ? "WWW-Authenticate" : "Proxy-Authenticate"
    return !head.values(of: name).isEmpty
  }

  /// Replies to HEAD, 204 and 304 end with their head, whatever length they announce (RFC 9112,
  /// section 6.3).
  func bodyByteCount(_ head: ResponseHead) -> Int64? {
    if content?.method == "HEAD" || head.status == 204 || head.status == 304 { return 0 }
    return head.bodyByteCount
  }
}
