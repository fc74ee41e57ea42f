/// What a refusal says about the next attempt. HTTP servers, proxies and FTP servers are judged by
/// this table alone.
package enum StatusMeaning: Sendable, Hashable, CaseIterable {
  /// The same request would be refused again.
  case final
  /// The same request may succeed later.
  case passing
  /// The host has no room at the moment: it may serve fewer connections, or all wait.
  case host
  /// Only the user can give what is missing, such as a login.
  case user
  /// A network on the way wants a login before it lets anything through (RFC 6585, section 6).
  case network

  /// The meaning of an HTTP status that brings neither the file nor a redirect.
  ///
  /// - Parameter hasRetryAfter: whether the response says when to ask again. A refusal that does
  ///   is not final; one for the whole host (403 is how some limit a rate) concerns its other
  ///   transfers as well.
  package init(status: Int, hasRetryAfter: Bool) {
    switch status {
    case 401, 407: self = .user
    case 511: self = .network
    case 429, 503: self = .host
    // A limit of bandwidth, and an overloaded site.
    case 509, 529: self = .host
    case 403 where hasRetryAfter, 500...599 where hasRetryAfter: self = .host
    // 202: the file is being prepared. 421: another connection may lead to the right server.
    case 202, 408, 421, 425: self = .passing
    // The server does not do what is requested, whenever it is requested.
    case 501, 505, 506, 508, 510: self = .final
    // An unknown one is treated as 500 (RFC 9110, section 15).
    case 500...599: self = .passing
    case 400...499 where hasRetryAfter: self = .passing
    default: self = .final
    }
  }

  /// The meaning of a negative reply of an FTP server (RFC 959, section 4.2).
  ///
  /// - Parameter text: what follows the number.
  package init(ftpReply number: Int, text: some StringProtocol) {
    switch number {
    case 421: self = .host
    // Many servers count the users before they read the password, and have only this number for
    // both.
    case 530: self = Self.saysFull(text) ? .host : .user
    case 430: self = .user
    case 400...499: self = .passing
    default: self = .final
    }
  }

  /// Whether an FTP server that refuses a login says that it has no room for another client. After
  /// too many wrong passwords, another try would make it worse.
  private static func saysFull(_ text: some StringProtocol) -> Bool {
    let text = text.lowercased()
    let words = Set(text.split { !$0.isLetter })
    guard words.isDisjoint(with: ["attempts", "password", "passwords", "failed", "incorrect"])
    else { return false }
    let isFull = !words.isDisjoint(with: ["limit", "limits", "maximum", "max", "busy", "full"])
    return isFull
      || ["too many", "try again later", "try later", "already connected", "already logged in"]
        .contains(where: text.contains)
  }
}

extension TransferFailure {
  /// The number that the server said; nil without one.
  package var statusNumber: Int? {
    code == .httpStatus ? detail.flatMap { Int($0.prefix(3)) } : nil
  }

  /// What the refusal means; nil for a failure that is none.
  ///
  /// - Parameter hasRetryAfter: whether the server said when to ask again.
  package func statusMeaning(hasRetryAfter: Bool = false) -> StatusMeaning? {
    guard code == .httpStatus else { return nil }
    guard let detail, let number = statusNumber else { return .final }
    switch family {
    case .http: return StatusMeaning(status: number, hasRetryAfter: hasRetryAfter)
    case .ftp: return StatusMeaning(ftpReply: number, text: detail.dropFirst(3))
    case .sftp: return .final
    }
  }

  /// Whether a network on the way wants a login first.
  package var asksForNetworkLogin: Bool { statusMeaning() == .network }

  /// Whether the server has rejected a login that it was sent.
  package var rejectsLogin: Bool {
    code == .loginNeeded && detail?.contains(Self.rejectedLogin) == true
  }

  /// The words before the name of a user in the detail of such a failure.
  package static let rejectedLogin = "it rejected the login of"

  /// What the server speaks. The subject is an origin or a host where it is not a URL.
  package var family: TransferURL.Scheme.Family {
    let scheme = subject.firstRange(of: "://").flatMap {
      TransferURL.Scheme(rawValue: String(subject[..<$0.lowerBound]))
    }
    return (scheme ?? .http).family
  }
}
