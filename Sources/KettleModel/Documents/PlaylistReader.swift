/// Reads the lines of a playlist (RFC 8216, section 4).
struct PlaylistReader {
  private var line = 0
  private var hasTags = false
  private var hasEnd = false
  private var variants: [Playlist.Variant] = []
  /// The groups of sound that the variants name, in the same order.
  private var groups: [String?] = []
  /// Whether all renditions of a group are playlists of their own.
  private var isApart: [String: Bool] = [:]
  private var media = MediaPlaylist()
  private var sequenceNumber: UInt64 = 0

  // What the next URI line is about.
  private var variant: [String: String]?
  private var milliseconds: Int64?
  private var range: PartialRange?
  private var key: KeyInEffect = .none
  private var followsDiscontinuity = false
  /// Where the last range of each resource ended.
  private var rangeEnds: [String: Int64] = [:]
  /// The beginning of the fragmented MP4 that was added last.
  private var map: MediaPlaylist.Segment?

  private struct PartialRange {
    var byteCount: Int64
    var lower: Int64?
  }

  private enum KeyInEffect {
    case none
    case aes128(uri: String, initializationVector: [UInt8]?)
    case unusable(String)
  }

  mutating func read(_ text: String) throws(PlaylistProblem) -> Playlist {
    for raw in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      line += 1
      let content = String(raw).trimmingBlanks()
      if line == 1 {
        guard content.drop(while: { $0 == "\u{FEFF}" }).hasPrefix("#EXTM3U") else {
          throw .notPlaylist
        }
      } else if content.hasPrefix("#EXT") {
        try readTag(content)
      } else if !content.isEmpty, !content.hasPrefix("#") {
        try readURI(content)
      }
    }
    guard hasTags else { throw .notPlaylist }
    if !variants.isEmpty { return .variants(judgedVariants) }
    guard hasEnd else { throw .live }
    guard !media.segments.isEmpty else { throw .empty }
    return .segments(media)
  }

  private var judgedVariants: [Playlist.Variant] {
    zip(variants, groups).map { variant, group in
      var variant = variant
      variant.hasSoundApart = group.flatMap { isApart[$0] } ?? false
      return variant
    }
  }

  // MARK: Tags

  private mutating func readTag(_ content: String) throws(PlaylistProblem) {
    let colon = content.firstIndex(of: ":")
    let value = colon.map { String(content[content.index(after: $0)...]) } ?? ""
    let name = String(content[..<(colon ?? content.endIndex)])
    if name.hasPrefix("#EXT-X-") { hasTags = true }
    switch name {
    case "#EXT-X-STREAM-INF": variant = Self.attributes(value)
    case "#EXT-X-MEDIA": readRendition(Self.attributes(value))
    case "#EXT-X-MEDIA-SEQUENCE": try readMediaSequence(value)
    case "#EXT-X-TARGETDURATION": media.targetMilliseconds = try? duration(value)
    case "#EXT-X-DISCONTINUITY": followsDiscontinuity = true
    case "#EXT-X-ENDLIST": hasEnd = true
    case "#EXTINF": milliseconds = try duration(value)
    case "#EXT-X-BYTERANGE": range = try partialRange(value)
    case "#EXT-X-KEY": try readKey(Self.attributes(value))
    case "#EXT-X-MAP": try readMap(Self.attributes(value))
    case "#EXT-X-GAP": throw .gap(line: line)
    case "#EXT-X-SKIP": throw .skipped(line: line)
    default: break
    }
  }

  /// A rendition without a URI is part of the variant itself.
  private mutating func readRendition(_ attributes: [String: String]) {
    guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"] else { return }
    isApart[group] = (isApart[group] ?? true) && attributes["URI"] != nil
  }

  /// The number of the first segment, which precedes it (RFC 8216, section 4.3.3.2).
  private mutating func readMediaSequence(_ value: String) throws(PlaylistProblem) {
    guard sequenceNumber == media.mediaSequence else { throw .malformed(line: line) }
    sequenceNumber = try number(value)
    media.mediaSequence = sequenceNumber
  }

  private mutating func readKey(_ attributes: [String: String]) throws(PlaylistProblem) {
    guard let method = attributes["METHOD"] else { throw .malformed(line: line) }
    let format = attributes["KEYFORMAT"] ?? "identity"
    switch (method, attributes["URI"]) {
    case ("NONE", _): key = .none
    case ("AES-128", let uri) where format == "identity":
      guard let uri, !uri.isEmpty else { throw .malformed(line: line) }
      key = .aes128(uri: uri, initializationVector: try attributes["IV"].map(vector))
    case (_, _):
      // A segment may have keys in several formats, one of which is enough.
      if case .aes128 = key, format != "identity" { return }
      key = .unusable(format == "identity" ? method : "\(method) (\(format))")
    }
  }

  private mutating func readMap(_ attributes: [String: String]) throws(PlaylistProblem) {
    guard let uri = attributes["URI"], !uri.isEmpty else { throw .malformed(line: line) }
    let partial: PartialRange? =
      if let text = attributes["BYTERANGE"] { try partialRange(text) } else { nil }
    let segment = MediaPlaylist.Segment(
      uri: uri, range: try byteRange(partial, of: uri), key: try keyOfSegment(),
      isInitialization: true)
    media.isFragmentedMP4 = true
    if map == segment { return }
    map = segment
    try append(segment)
  }

  // MARK: URIs

  private mutating func readURI(_ uri: String) throws(PlaylistProblem) {
    if let attributes = variant {
      variant = nil
      let rate = attributes["BANDWIDTH"].flatMap { Int64($0) } ?? 0
      let lines = attributes["RESOLUTION"]?.split(separator: "x").last.flatMap { Int($0) }
      variants.append(Playlist.Variant(uri: uri, bitsPerSecond: rate, lineCount: lines))
      groups.append(attributes["AUDIO"])
      return
    }
    // A list of songs has lines without a duration.
    guard let duration = milliseconds else {
      throw hasTags ? .malformed(line: line) : .notPlaylist
    }
    try append(
      MediaPlaylist.Segment(
        uri: uri, range: try byteRange(range, of: uri), key: try keyOfSegment(),
        milliseconds: duration, followsDiscontinuity: followsDiscontinuity))
    media.milliseconds = media.milliseconds.addingReportingOverflow(duration).partialValue
    milliseconds = nil
    range = nil
    followsDiscontinuity = false
    sequenceNumber &+= 1
  }

  private mutating func append(_ segment: MediaPlaylist.Segment) throws(PlaylistProblem) {
    guard media.segments.count < Playlist.segmentCountMax else { throw .tooLong }
    media.segments.append(segment)
  }

  /// The key in effect. Without a vector of its own it has the number of the segment, as 16 bytes.
  private func keyOfSegment() throws(PlaylistProblem) -> MediaPlaylist.Key? {
    switch key {
    case .none: return nil
    case .unusable(let method): throw .encryption(method)
    case .aes128(let uri, let vector):
      let number = (0..<8).map { UInt8(truncatingIfNeeded: sequenceNumber >> (56 - 8 * $0)) }
      return MediaPlaylist.Key(
        uri: uri,
        initializationVector: vector ?? [UInt8](repeating: 0, count: 8) + number)
    }
  }

  /// A range without an offset begins where the last one of the same resource ended.
  private mutating func byteRange(
    _ partial: PartialRange?, of uri: String
  ) throws(PlaylistProblem) -> ByteRange? {
    guard let partial else { return nil }
    guard let lower = partial.lower ?? rangeEnds[uri] else { throw .malformed(line: line) }
    let (upper, overflows) = lower.addingReportingOverflow(partial.byteCount)
    guard !overflows, partial.byteCount > 0, let range = ByteRange(lower: lower, upper: upper)
    else { throw .malformed(line: line) }
    rangeEnds[uri] = upper
    return range
  }

  // MARK: Values

  private func number(_ text: String) throws(PlaylistProblem) -> UInt64 {
    guard let number = digits(text[...]) else { throw .malformed(line: line) }
    return UInt64(number)
  }

  private func digits(_ text: Substring) -> Int64? {
    DecimalDigits.int64(String(text).trimmingBlanks()[...])
  }

  /// Seconds, with decimals, before a title.
  private func duration(_ text: String) throws(PlaylistProblem) -> Int64 {
    let seconds = Double(text.prefix { $0 != "," })
    guard let seconds, (0...1_000_000).contains(seconds) else { throw .malformed(line: line) }
    return Int64(seconds * 1000)
  }

  /// `LENGTH` or `LENGTH@OFFSET`.
  private func partialRange(_ text: String) throws(PlaylistProblem) -> PartialRange {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      let byteCount = digits(parts[0]), byteCount > 0
    else { throw .malformed(line: line) }
    guard parts.count == 2 else { return PartialRange(byteCount: byteCount, lower: nil) }
    guard let lower = digits(parts[1]) else {
      throw .malformed(line: line)
    }
    return PartialRange(byteCount: byteCount, lower: lower)
  }

  /// `0x` and 1 to 32 hexadecimal digits.
  private func vector(_ text: String) throws(PlaylistProblem) -> [UInt8] {
    let digits = text.dropFirst(2)
    let values = digits.compactMap { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
    guard text.lowercased().hasPrefix("0x"), (1...32).contains(digits.count),
      values.count == digits.count
    else { throw .malformed(line: line) }
    let padded = [UInt8](repeating: 0, count: 32 - values.count) + values
    return stride(from: 0, to: 32, by: 2).map { padded[$0] << 4 | padded[$0 + 1] }
  }

  /// `NAME=value,NAME="value with, commas"` (RFC 8216, section 4.2).
  static func attributes(_ text: String) -> [String: String] {
    var attributes: [String: String] = [:]
    var rest = text[...]
    while let equals = rest.firstIndex(of: "=") {
      let name = String(rest[..<equals]).trimmingBlanks()
      rest = rest[rest.index(after: equals)...]
      let value: Substring
      if rest.first == "\"" {
        rest = rest.dropFirst()
        value = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(value.count).dropFirst()
      } else {
        value = rest.prefix { $0 != "," }
        rest = rest.dropFirst(value.count)
      }
      attributes[name] = String(value)
      rest = rest.drop { $0 == "," || $0 == " " }
    }
    return attributes
  }
}
