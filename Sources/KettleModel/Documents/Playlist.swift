/// A playlist of HTTP Live Streaming (RFC 8216): the variants of a recording, or its segments.
package enum Playlist: Hashable, Sendable {
  case variants([Variant])
  case segments(MediaPlaylist)

  /// The same recording with another bit rate or size.
  package struct Variant: Hashable, Sendable {
    /// As written; relative to the playlist.
    package var uri: String
    package var bitsPerSecond: Int64
    /// The height of the picture; nil when unknown.
    package var lineCount: Int?
    /// Whether its sound is in another playlist.
    package var hasSoundApart = false
  }

  /// The media types that servers send with playlists.
  package static let mediaTypes: Set<String> = [
    "application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl",
  ]

  package static let byteCountMax = 8 << 20
  package static let segmentCountMax = 100_000

  /// Reads a playlist; throws what is wrong with it.
  package static func read(_ bytes: [UInt8]) throws(PlaylistProblem) -> Playlist {
    guard bytes.count <= byteCountMax, let text = String(validating: bytes, as: UTF8.self) else {
      throw .notPlaylist
    }
    var reader = PlaylistReader()
    return try reader.read(text)
  }

  /// Whether a URL path or file name is one of a playlist.
  package static func isNamed(_ path: String) -> Bool { path.lowercased().hasSuffix(".m3u8") }
}

/// The segments of a recording, in order.
package struct MediaPlaylist: Hashable, Sendable {
  package var segments: [Segment] = []
  /// The sum of their durations.
  package var milliseconds: Int64 = 0
  /// No segment is longer (`EXT-X-TARGETDURATION`); nil if it is not said.
  package var targetMilliseconds: Int64?
  /// The number of the first segment (`EXT-X-MEDIA-SEQUENCE`).
  package var mediaSequence: UInt64 = 0
  /// Whether the segments are parts of an MP4 file, whose beginning is the first of them.
  package var isFragmentedMP4 = false

  package struct Segment: Hashable, Sendable {
    /// As written; relative to the playlist.
    package var uri: String
    /// The part of the resource; nil for all of it.
    package var range: ByteRange?
    /// nil if it is not encrypted.
    package var key: Key?
    package var milliseconds: Int64 = 0
    /// Whether it is the beginning of an MP4 file, which has no pictures.
    package var isInitialization = false
    package var followsDiscontinuity = false
  }

  /// How a segment is encrypted: AES-128, CBC, PKCS7 padding (RFC 8216, section 4.3.2.4).
  package struct Key: Hashable, Sendable {
    package var uri: String
    /// 16 bytes.
    package var initializationVector: [UInt8]

    package static let byteCount = 16
  }
}

extension MediaPlaylist {
  /// MPEG transport streams, which may be joined as they are.
  package static let usualExtension = "ts"
  private static let knownExtensions: Set<String> = ["ts", "aac", "mp3", "ac3", "ec3", "vtt"]

  /// The file name extension of all segments together.
  package var fileExtension: String {
    if isFragmentedMP4 { return "mp4" }
    let path = segments.first?.uri.prefix { $0 != "?" && $0 != "#" } ?? ""
    let last = path.split(separator: ".").last?.lowercased() ?? ""
    return Self.knownExtensions.contains(last) ? last : Self.usualExtension
  }
}

/// How a segment is decrypted: AES-128 in CBC mode with PKCS7 padding.
package struct SegmentKey: Sendable, Hashable {
  /// 16 bytes.
  package var bytes: [UInt8]
  /// 16 bytes.
  package var initializationVector: [UInt8]
  /// How long the encrypted segment is; nil when unknown. Padding alone does not reveal each end
  /// that comes too early.
  package var encryptedByteCount: Int64?

  package init(
    bytes: [UInt8], initializationVector: [UInt8], encryptedByteCount: Int64? = nil
  ) {
    self.bytes = bytes
    self.initializationVector = initializationVector
    self.encryptedByteCount = encryptedByteCount
  }
}

/// Why a playlist cannot be used.
package enum PlaylistProblem: Error, Hashable, Sendable {
  /// It is text of another kind, or a plain list of songs.
  case notPlaylist
  /// It has no end yet.
  case live
  case empty
  case tooLong
  case malformed(line: Int)
  /// An encryption other than AES-128 with a key that can be fetched.
  case encryption(String)
  /// A segment is marked as missing.
  case gap(line: Int)
  /// Segments that an earlier version listed are left out.
  case skipped(line: Int)
  /// No variant has picture and sound together.
  case soundApart

  /// For the detail of a failure.
  package var words: String {
    switch self {
    case .notPlaylist: "it is not an HLS playlist"
    case .live: "it has no end"
    case .empty: "it has no segments"
    case .tooLong: "it has more than \(Playlist.segmentCountMax) segments"
    case .malformed(let line): "line \(line) is malformed"
    case .encryption(let method): "it is encrypted with \(method)"
    case .gap(let line): "the segment at line \(line) is missing on the server"
    case .skipped(let line): "segments are left out at line \(line)"
    case .soundApart: "its sound is a playlist of its own"
    }
  }
}

extension Playlist {
  /// The variant that the user wants, or the best one: the most lines, then the highest bit rate.
  ///
  /// - Throws: `soundApart` if none has picture and sound together.
  package static func choose(
    _ wish: PlaylistVariant?, of variants: [Variant]
  ) throws(PlaylistProblem) -> Variant {
    let usable = variants.filter { !$0.hasSoundApart }.sorted {
      ($0.lineCount ?? 0, $0.bitsPerSecond) < ($1.lineCount ?? 0, $1.bitsPerSecond)
    }
    guard let best = usable.last, let smallest = usable.min(by: isSmaller) else {
      throw variants.isEmpty ? .empty : .soundApart
    }
    switch wish {
    case nil: return best
    case .smallest: return smallest
    case .lines(let count):
      return usable.last { ($0.lineCount ?? .max) <= count } ?? smallest
    case .bitsPerSecond(let rate):
      return usable.last { $0.bitsPerSecond <= rate } ?? smallest
    }
  }

  private static func isSmaller(_ one: Variant, _ other: Variant) -> Bool {
    one.bitsPerSecond < other.bitsPerSecond
  }
}

/// Which variant of an HLS playlist the user wants.
public enum PlaylistVariant: Hashable, Sendable {
  /// The one with the lowest bit rate.
  case smallest
  /// The best one with at most this many lines, or else the smallest.
  case lines(Int)
  /// The best one with at most this bit rate, or else the smallest.
  case bitsPerSecond(Int64)
}

extension PlaylistVariant: RawRepresentable, Codable {
  /// `smallest`, a number of lines such as `720p`, or a bit rate such as `2500k` or `3M`.
  public var rawValue: String {
    switch self {
    case .smallest: "smallest"
    case .lines(let count): "\(count)p"
    case .bitsPerSecond(let rate): "\(rate)"
    }
  }

  public init?(rawValue text: String) {
    if text == "smallest" {
      self = .smallest
      return
    }
    guard let number = Int64(text.prefix { $0.isASCII && $0.isNumber }), number > 0 else {
      return nil
    }
    let factor: Int64
    switch text.drop(while: { $0.isASCII && $0.isNumber }) {
    case "p":
      guard let count = Int(exactly: number) else { return nil }
      self = .lines(count)
      return
    case "": factor = 1
    case "k", "K": factor = 1000
    case "M": factor = 1_000_000
    default: return nil
    }
    let (rate, overflows) = number.multipliedReportingOverflow(by: factor)
    guard !overflows else { return nil }
    self = .bitsPerSecond(rate)
  }
}
