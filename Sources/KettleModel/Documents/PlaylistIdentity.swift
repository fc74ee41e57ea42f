/// What the joined segments of a recording belong to. It is stored with them.
///
/// The invariant: segments of two playlists are never joined, and two reads of one playlist are two
/// playlists until the contrary is shown. A playlist of another shape is another recording
/// (`hasShape(of:)`, the only comparison). One of the same shape may be another variant, another
/// recording of the same length, or new bytes at the same addresses: nothing is appended for it
/// until a joined segment was fetched again as it says, and was equal byte for byte.
public struct PlaylistIdentity: Hashable, Sendable, Codable {
  /// The URL of the playlist with the segments, as the playlist of variants or the user names it.
  public var variantURL: String
  public var targetMilliseconds: Int64?
  /// The number of the first segment (`EXT-X-MEDIA-SEQUENCE`). It grows when segments leave the
  /// beginning.
  public var mediaSequence: UInt64
  public var segmentCount: Int
  /// The digest of the durations, the byte ranges and the discontinuities of all segments.
  public var shape: UInt64

  public init(
    variantURL: String, targetMilliseconds: Int64?, mediaSequence: UInt64, segmentCount: Int,
    shape: UInt64
  ) {
    self.variantURL = variantURL
    self.targetMilliseconds = targetMilliseconds
    self.mediaSequence = mediaSequence
    self.segmentCount = segmentCount
    self.shape = shape
  }

  /// - Parameter variant: the URL that was requested, before redirects.
  package init(of media: MediaPlaylist, variant: TransferURL) {
    var shape = StableDigest()
    for segment in media.segments {
      shape.add(segment.milliseconds)
      shape.add(segment.range?.lower ?? -1)
      shape.add(segment.range?.upper ?? -1)
      shape.add(segment.isInitialization ? 1 : 0)
      shape.add(segment.followsDiscontinuity ? 1 : 0)
    }
    self.init(
      variantURL: variant.text, targetMilliseconds: media.targetMilliseconds,
      mediaSequence: media.mediaSequence, segmentCount: media.segments.count, shape: shape.value)
  }

  /// Whether the segments are cut in the same way. Their addresses change when links are renewed.
  package func hasShape(of other: PlaylistIdentity) -> Bool {
    var moved = self
    moved.variantURL = other.variantURL
    return moved == other
  }

  /// Returns the variant with these segments, if a playlist of variants still lists it.
  ///
  /// - Parameter url: the URL that served the list.
  package func variant(
    among variants: [Playlist.Variant], listedAt url: TransferURL
  ) -> Playlist.Variant? {
    let usable = variants.filter { !$0.hasSoundApart }
    let addresses = usable.map { variant in
      if case .success(let parsed) = url.resolving(variant.uri) { parsed.url.text } else { "" }
    }
    if let index = addresses.firstIndex(of: variantURL) { return usable[index] }
    // A query may be a renewed token, or the only difference between two variants.
    let path = variantURL.prefix { $0 != "?" }
    let alike = addresses.indices.filter { addresses[$0].prefix { $0 != "?" } == path }
    return alike.count == 1 ? alike.first.map { usable[$0] } : nil
  }
}

/// A joined segment that can be fetched again and compared, and its place in the file.
public struct JoinedSegment: Hashable, Sendable, Codable {
  public var index: Int
  public var lower: Int64
  public var upper: Int64

  public init(index: Int, lower: Int64, upper: Int64) {
    self.index = index
    self.lower = lower
    self.upper = upper
  }
}

/// The version of a resource whose parts are segments. Parts of two versions are not joined.
public struct SegmentedResource: Hashable, Sendable, Codable {
  /// As the playlist names it.
  public var url: String
  public var validator: Validator?
  public var totalByteCount: Int64?

  public init(url: String, validator: Validator?, totalByteCount: Int64?) {
    self.url = url
    self.validator = validator
    self.totalByteCount = totalByteCount
  }
}

/// A digest that is the same in every process (FNV-1a, 64 bits). It tells playlists apart, and
/// proves nothing about bytes.
private struct StableDigest {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      value = (value ^ UInt64(UInt8(truncatingIfNeeded: number >> shift))) &* 0x100_0000_01b3
    }
  }
}
