import KettleModel

/// Decides how a reply may be used before a byte of it is written.
///
/// A range reply is used only if the status is 206, the Content-Range starts at the requested
/// offset, the total and the validator are the known ones, and there is no content coding (RFC
/// 9110, sections 13.1.5, 14.4 and 15.3.7). Nothing else is ever written at an offset. What "the
/// known ones" means depends on the requested proof (`RequestedRange.Proof`).
package struct ResponseClassifier: Sendable {
  package enum Classification: Sendable, Hashable {
    case acceptWhole(Whole)
    /// The body is this part of the file.
    case acceptRange(ByteRange, FileFacts)
    /// The durable bytes are already the whole file.
    case alreadyWhole
    case requestAgain(RequestMode)
    case redirect(String)
    case wait(WaitingReason, TransferFailure)
    case retry(TransferFailure, after: RetryAfter?)
    /// The server answered a plain GET with a part. The next request asks for the range of all
    /// bytes.
    case requestAsRange
    /// A refusal although bytes are durable: the link was good once.
    case refused(TransferFailure)
    case fail(TransferFailure)

    /// Whether it is about the server, and not about the file or a part of it.
    var isOfServer: Bool {
      switch self {
      case .redirect, .retry, .wait, .refused, .fail: true
      case .acceptWhole, .acceptRange, .alreadyWhole, .requestAgain, .requestAsRange: false
      }
    }

    /// Whether the present bytes stay in the file, or the next request may still find that they do.
    var keepsBytes: Bool {
      switch self {
      case .acceptRange, .alreadyWhole, .requestAgain(.resuming), .requestAgain(.proving),
        .requestAgain(.comparing), .requestAsRange, .redirect, .retry:
        true
      case .acceptWhole(let whole):
        if case .instead = whole.use { false } else { true }
      case .requestAgain(.fresh), .wait, .refused, .fail: false
      }
    }
  }

  /// A body that is the whole file, from zero.
  package struct Whole: Sendable, Hashable {
    package var facts: FileFacts
    package var use: Use
    /// The end of the body, where it is only the beginning of the file; nil for all of it.
    package var endOfBeginning: Int64?

    package init(facts: FileFacts, use: Use, endOfBeginning: Int64? = nil) {
      self.facts = facts
      self.use = use
      self.endOfBeginning = endOfBeginning
    }

    package enum Use: Sendable, Hashable {
      /// No bytes are durable.
      case new
      /// The durable bytes are compared with it as it arrives.
      case compared(because: FreshStartReason)
      /// The durable bytes belong to another version.
      case instead(because: FreshStartReason)
    }
  }

  /// What the head says about the file.
  package struct FileFacts: Sendable, Hashable {
    package var total: Int64?
    package var validator: Validator?
    package var checksum: Checksum?
    package var mediaType: String?
    /// How the body is compressed; nil if it is not.
    package var contentCoding: String?

    package init(
      total: Int64? = nil, validator: Validator? = nil, checksum: Checksum? = nil,
      mediaType: String? = nil, contentCoding: String? = nil
    ) {
      self.total = total
      self.validator = validator
      self.checksum = checksum
      self.mediaType = mediaType
      self.contentCoding = contentCoding
    }
  }

  let url: TransferURL
  let requested: RequestedRange?
  let mode: RequestMode
  let resumeData: ResumeData?
  /// What a response from the URL can be compared with.
  let known: KnownVersion
  let content: RequestContent?
  let acceptance: Acceptance
  /// Whether a 401 requires a login or is a status like any other.
  let challengePolicy: TaskStatus.ChallengePolicy
  /// The user whose login was sent; nil without a login.
  let user: String?

  /// - Parameters:
  ///   - kinship: of `url`; nil to go by the requested URL alone.
  ///   - content: the content of the request; nil means a plain GET.
  package init(
    url: TransferURL, requested: RequestedRange?, mode: RequestMode, resumeData: ResumeData?,
    kinship: Kinship? = nil, content: RequestContent? = nil, acceptance: Acceptance = .file,
    challengePolicy: TaskStatus.ChallengePolicy = .ask, user: String? = nil
  ) {
    self.url = url
    self.requested = requested
    self.mode = mode
    self.resumeData = resumeData
    known = KnownVersion(
      resumeData, for: kinship ?? (resumeData?.validatorURL == nil ? .sameURL : .otherURL))
    self.content = content
    self.acceptance = acceptance
    self.challengePolicy = challengePolicy
    self.user = user
  }

  package func classify(_ head: ResponseHead, at now: Moment) -> Classification {
    if let verdict = classifyAccepted(head, at: now) { return verdict }
    switch head.status {
    case 200, 203: return classifyWhole(head)
    case 206: return classifyRange(head)
    case 301, 302, 303, 307, 308: return classifyRedirect(head)
    case 416 where requested != nil: return classifyUnsatisfied(head)
    default: return classifyRefusal(head, at: now)
    }
  }

  private func classifyRefusal(_ head: ResponseHead, at now: Moment) -> Classification {
    let retryAfter = RetryAfter(head, at: now)
    switch StatusMeaning(status: head.status, hasRetryAfter: retryAfter != nil) {
    case .user where head.status == 401 && challengePolicy == .takeReplyAsItStands:
      return .fail(statusFailure(head))
    case .user:
      return .wait(
        .needsLogin,
        .loginNeeded(
          on: url, status: head.status, words: head.words(from: url), user: user,
          problem: head.loginProblem))
    case .passing, .host, .network: return .retry(statusFailure(head), after: retryAfter)
    case .final: return classifyFinalRefusal(head)
    }
  }

  private func classifyFinalRefusal(_ head: ResponseHead) -> Classification {
    hasDurableBytes ? .refused(statusFailure(head)) : .fail(statusFailure(head))
  }

  var hasDurableBytes: Bool { !(resumeData?.durable.isEmpty ?? true) }

  private func classifyRedirect(_ head: ResponseHead) -> Classification {
    let locations = head.values(of: "Location")
    guard let location = locations.first else { return classifyFinalRefusal(head) }
    guard locations.count == 1 else {
      return .fail(
        TransferFailure(.redirectRefused, on: url.text, detail: "more than one Location"))
    }
    return .redirect(location)
  }

  /// 416 means that the range does not exist; `Content-Range: bytes */N` adds the length of the
  /// file (RFC 9110, section 15.5.17).
  private func classifyUnsatisfied(_ head: ResponseHead) -> Classification {
    guard let resumeData else { return .fail(statusFailure(head)) }
    guard let text = head.value(of: "Content-Range"),
      case .unsatisfied(let total)? = ContentRange(text)
    else { return .requestAgain(.comparing) }
    let facts = facts(head, total: total)
    if let contradiction = classifyLength(facts) { return contradiction }
    if let known = resumeData.totalByteCount, known != total { return otherVersion(total) }
    let durable = resumeData.durable.prefixByteCount
    if durable == total {
      // A length that was unknown before may be that of another version.
      let isKnown = resumeData.totalByteCount != nil
      let isSame = known.isSurelySame(facts.validator)
      return isKnown || isSame ? .alreadyWhole : .requestAgain(.comparing)
    }
    // The file is longer than the durable bytes, yet the server does not serve the rest.
    return durable < total ? .requestAgain(.comparing) : otherVersion(total)
  }

  /// Another version is fetched from zero. But a fresh link from the user may be a wrong one:
  /// nothing is discarded for it.
  func otherVersion(_ total: Int64?) -> Classification {
    // What the pieces prove stays, whatever one source serves.
    let keepsBytes = known.kinship == .otherURL || requested?.proof == .pieces
    guard let resumeData, keepsBytes else {
      return .requestAgain(.fresh(.resourceChanged))
    }
    return .wait(.needsLink, .otherFile(at: url, total, in: resumeData))
  }

  func statusFailure(_ head: ResponseHead) -> TransferFailure {
    TransferFailure(.httpStatus, on: url.text, detail: head.words(from: url))
  }

  func facts(_ head: ResponseHead, total: Int64?) -> FileFacts {
    FileFacts(
      total: total, validator: head.validator, checksum: head.representationDigest,
      mediaType: head.mediaType, contentCoding: contentCoding(head))
  }

  /// How the bytes of the file are compressed. Old servers label a stored `.gz` file with its own
  /// compression; its bytes are the file.
  func contentCoding(_ head: ResponseHead) -> String? {
    guard let coding = head.contentCoding else { return nil }
    let path = url.path.lowercased()
    let isOwn = [".gz", ".tgz"].contains { path.hasSuffix($0) }
    return isOwn && (coding == "gzip" || coding == "x-gzip") ? nil : coding
  }
}

extension TransferFailure {
  /// The failure for a fresh link that leads to another file than the durable bytes.
  static func otherFile(
    at url: TransferURL, _ total: Int64?, in resumeData: ResumeData
  ) -> TransferFailure {
    var detail = "other bytes"
    if let total, let known = resumeData.totalByteCount, total != known {
      detail = "\(total) bytes in place of \(known)"
    }
    return TransferFailure(.otherFile, on: url.text, detail: detail)
  }
}

/// How the URL of a response relates to the one that answered with the validator of the present
/// bytes.
package enum Kinship: Sendable, Hashable {
  /// The same URL on the same server. Validators are compared.
  case sameURL
  /// The redirects of the same URL have led to another server, or another program has fetched the
  /// present bytes. Bytes are compared, and a difference is another version.
  case otherServer
  /// Another URL of the user, or another source. Bytes are compared, and a difference is another
  /// file: the present bytes stay.
  case otherURL
}

/// The version of the present bytes, as seen from one response.
///
/// Invariant: an entity tag belongs to one URL (RFC 9110, section 8.8.3). The validator cannot be
/// read without the kinship, and no comparison with a response of another kinship than `sameURL`
/// has a result: neither "the same" nor "another".
struct KnownVersion: Sendable, Hashable {
  let kinship: Kinship
  private let validator: Validator?

  /// - Parameter kinship: of the URL that is requested.
  init(_ resumeData: ResumeData?, for kinship: Kinship) {
    self.kinship = kinship
    validator = kinship == .sameURL ? resumeData?.validator : nil
  }

  /// The version of a resource whose parts all have the same URL.
  init(ofSameURL validator: Validator) {
    kinship = .sameURL
    self.validator = validator
  }

  /// The value that the server can compare (`If-Range`); nil without one.
  var strongValue: String? { validator?.strongValue }

  /// Whether responses of this URL had an ETag.
  var hasEntityTag: Bool { validator?.entityTag != nil }

  /// Strong comparison if both have ETags (RFC 9110, section 8.8.3.2), else the dates.
  func isSame(_ sent: Validator?) -> Bool {
    guard let validator, let sent else { return false }
    if let left = validator.entityTag, let right = sent.entityTag { return left == right }
    guard let left = validator.lastModified, let right = sent.lastModified else { return false }
    return left == right
  }

  /// The same by a value that two versions cannot share.
  func isSurelySame(_ sent: Validator?) -> Bool {
    guard strongValue != nil, sent?.strongValue != nil else { return false }
    return isSame(sent)
  }

  /// Certainly different: the dates differ, or weak tags do, which change only with the content.
  /// Strong tags alone may differ between responses with the same bytes.
  func isSurelyOther(_ sent: Validator?) -> Bool {
    guard let validator, let sent else { return false }
    if let left = validator.lastModified, let right = sent.lastModified, left != right {
      return true
    }
    guard let left = validator.entityTag, let right = sent.entityTag, left != right else {
      return false
    }
    return left.hasPrefix("W/") && right.hasPrefix("W/")
  }

  /// Whether both have validators and these tell two versions apart, as far as the server knows.
  func isOther(_ sent: Validator?) -> Bool {
    guard strongValue != nil, sent?.strongValue != nil else { return isSurelyOther(sent) }
    return !isSame(sent)
  }

  /// Whether a date that two versions cannot share is the same, whatever the tags are.
  func isConfirmedByDate(_ sent: Validator?) -> Bool {
    guard let validator, validator.isLastModifiedStrong, let known = validator.lastModified,
      let sent, sent.isLastModifiedStrong
    else { return false }
    return known == sent.lastModified
  }
}
