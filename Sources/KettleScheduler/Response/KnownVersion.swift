import KettleModel

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
