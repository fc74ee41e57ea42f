import KettleModel

/// The byte range that an attempt requests, and what will prove that it belongs to the rest.
package struct RequestedRange: Sendable, Hashable {
  package var lower: Int64
  /// Exclusive; nil requests everything up to the end.
  package var upper: Int64?
  package var proof: Proof

  package enum Proof: Sendable, Hashable {
    /// The server compares: it sends the range only for the version with this strong validator (RFC
    /// 9110, section 13.1.5).
    case ifRange(String)
    /// We compare: the reply must have the known strong validator. For servers that reply to
    /// `If-Range` with the whole file although nothing changed.
    case sameValidator
    /// Durable bytes are repeated and must be equal; for servers without a strong validator, or
    /// with another one each time. If `suspect`, the tag that raised the doubt, is repeated, it is
    /// not random but another version's.
    case overlap(suspect: String?)
    /// The same for a part from a mirror: the bytes up to `comparedUpTo`, which may be none or all
    /// of the part, are present and must be equal. `validator` is the mirror's own strong one from
    /// the response whose bytes were compared, for the server to compare.
    case mirror(comparedUpTo: Int64, validator: String?)
    /// The digests of pieces prove the bytes when they are there. Validators are not compared.
    case pieces
    /// None is needed: all bytes are requested. For servers that answer a plain GET with a part.
    case wholeFile
  }

  package init(lower: Int64, upper: Int64?, proof: Proof) {
    self.lower = lower
    self.upper = upper
    self.proof = proof
  }

  /// `Range`, and `If-Range` if the server is to compare.
  package var headers: [HeaderField] {
    let last = upper.map { String($0 - 1) } ?? ""
    let range = HeaderField(received: "Range", "bytes=\(lower)-\(last)")
    switch proof {
    case .ifRange(let validator), .mirror(_, .some(let validator)):
      return [range, HeaderField(received: "If-Range", validator)]
    case .sameValidator, .overlap, .mirror(_, nil), .pieces, .wholeFile: return [range]
    }
  }

  /// The end of the bytes that must be present and equal; nil unless it is a mirror's part.
  package var comparedUpTo: Int64? {
    if case .mirror(let comparedUpTo, _) = proof { comparedUpTo } else { nil }
  }
}

extension RequestedRange {
  /// All bytes of a file.
  package static let all = RequestedRange(lower: 0, upper: nil, proof: .wholeFile)

  /// Below this size, fetching again and comparing is preferred to proof by an overlap. From
  /// another server only what is shorter than an overlap is fetched again.
  static let overlapWorthByteCount: Int64 = 1 << 20

  /// The range that continues a partial file; nil to request the whole file.
  ///
  /// - Parameters:
  ///   - kinship: of the URL that is requested. What the validator of another one proves, or raises
  ///     doubt about, means nothing there.
  ///   - form: what is requested of this server.
  ///   - isProvedByPieces: whether nothing else has to prove the bytes.
  init?(
    resuming resumeData: ResumeData?, mode: RequestMode, kinship: Kinship, form: RangeForm,
    isProvedByPieces: Bool = false
  ) {
    guard let resumeData else { return nil }
    // Also if every byte is missing: the bytes go into this partial file, not into a new one.
    if resumeData.isProvedByDigests == true {
      let validator = mode == .resuming ? KnownVersion(resumeData, for: kinship).strongValue : nil
      guard
        let range = RequestedRange(
          firstGapOf: resumeData, proof: validator.map { .ifRange($0) } ?? .pieces)
      else { return nil }
      self = form.formed(range) ?? range
      return
    }
    guard !resumeData.durable.isEmpty else { return nil }
    switch mode {
    case .comparing, .fresh: return nil
    case .proving(let proof):
      let wanted = kinship == .sameURL ? proof : .overlap(suspect: nil)
      guard let range = RequestedRange(firstGapOf: resumeData, proof: wanted) else { return nil }
      self = form.formed(range) ?? range
    case .resuming:
      if isProvedByPieces, resumeData.totalByteCount != nil {
        self.init(firstGapOf: resumeData, proof: .pieces, form)
        return
      }
      if let validator = KnownVersion(resumeData, for: kinship).strongValue {
        self.init(firstGapOf: resumeData, proof: .ifRange(validator), form)
        return
      }
      let worthByteCount =
        kinship == .sameURL ? Self.overlapWorthByteCount : ActiveDownload.overlapByteCount
      guard resumeData.totalByteCount != nil, resumeData.durable.byteCount >= worthByteCount else {
        return nil
      }
      self.init(firstGapOf: resumeData, proof: .overlap(suspect: nil), form)
    }
  }

  private init?(firstGapOf resumeData: ResumeData, proof: Proof, _ form: RangeForm) {
    guard let range = RequestedRange(firstGapOf: resumeData, proof: proof),
      let formed = form.formed(range)
    else { return nil }
    self = formed
  }

  private init?(firstGapOf resumeData: ResumeData, proof: Proof) {
    let durable = resumeData.durable
    let total = resumeData.totalByteCount
    let gaps = durable.gaps(in: ByteRange(lower: 0, upper: total ?? .max) ?? .nothing)
    switch proof {
    case .wholeFile: self = .all
    case .ifRange, .sameValidator, .mirror, .pieces:
      guard let gap = gaps.first, gap.lower > 0 || total != nil else { return nil }
      // A body that states no length may contain the chunk sizes of an unannounced transfer coding,
      // so its end is repeated and compared, whatever the server says.
      let lower = total == nil ? Self.overlap(before: gap.lower, in: durable) : gap.lower
      self.init(lower: lower, upper: Self.upper(of: gap, total: total), proof: proof)
    case .overlap:
      // There must be bytes before the gap to compare with. If nothing is missing, because the last
      // byte was in flight when the doubt arose, the end of the file is compared.
      let missing = gaps.first { $0.lower > 0 }
      guard let end = missing?.lower ?? (gaps.isEmpty ? total : nil), end > 0 else { return nil }
      self.init(
        lower: Self.overlap(before: end, in: durable),
        upper: missing.flatMap { Self.upper(of: $0, total: total) }, proof: proof)
    }
  }

  /// The beginning of the durable bytes before `end` that are repeated and compared.
  private static func overlap(before end: Int64, in durable: ByteRangeSet) -> Int64 {
    let before = durable.ranges.last { $0.upper == end }?.lower ?? end
    return max(before, end - ActiveDownload.overlapByteCount)
  }

  /// A range up to the end of the file is requested without a last byte, as clients commonly do.
  private static func upper(of gap: ByteRange, total: Int64?) -> Int64? {
    gap.upper == (total ?? .max) ? nil : gap.upper
  }
}

/// Which ranges are requested of the server of a transfer, after what it has made of earlier ones.
enum RangeForm: Sendable, Hashable {
  /// Any, also those that end before the file does (`bytes=A-B`).
  case any(wrongReplyCount: Int)
  /// Only the rest of the file (`bytes=A-`), over one connection: the server does not keep to the
  /// end of a range.
  case toEnd(wrongReplyCount: Int)
  /// None: the whole file.
  case none

  static let untried = RangeForm.any(wrongReplyCount: 0)

  /// How many consecutive wrong replies to a form rule it out.
  private static let wrongReplyCountMax = 2

  /// Whether several connections may each request a part.
  var permitsParts: Bool {
    switch self {
    case .any: true
    case .toEnd, .none: false
    }
  }

  /// Returns the range as it is requested; nil if none is.
  func formed(_ range: RequestedRange) -> RequestedRange? {
    switch self {
    case .any: return range
    case .toEnd:
      var open = range
      open.upper = nil
      return open
    case .none: return nil
    }
  }

  /// Records a reply that is not the requested range.
  mutating func recordWrongReply(to requested: RequestedRange?) {
    switch self {
    case .any where requested?.upper != nil: self = .toEnd(wrongReplyCount: 0)
    case .any(let count):
      self = count + 1 < Self.wrongReplyCountMax ? .any(wrongReplyCount: count + 1) : .none
    // It was requested before the first of them was answered.
    case .toEnd where requested?.upper != nil: break
    case .toEnd(let count):
      self = count + 1 < Self.wrongReplyCountMax ? .toEnd(wrongReplyCount: count + 1) : .none
    case .none: break
    }
  }

  mutating func recordRightReply() {
    switch self {
    case .any, .none: self = .untried
    case .toEnd: self = .toEnd(wrongReplyCount: 0)
    }
  }
}
