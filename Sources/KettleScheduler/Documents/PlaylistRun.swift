import KettleModel

/// The playlist of a run and the decryption keys that have arrived. Every run fetches both again,
/// because links expire.
///
/// Its invariant is that of `PlaylistIdentity`: it appends to what earlier runs have joined only
/// after a proof (`Standing`).
struct PlaylistRun: Sendable, Hashable {
  enum Standing: Sendable, Hashable {
    /// Nothing was joined before, or it belongs to this playlist.
    case joins
    /// This joined segment is fetched again and must be equal.
    case proves(JoinedSegment)
  }

  /// The URL that served the playlist; its URIs are relative to this one.
  let url: TransferURL
  /// The chain for requests to its URIs: they may lead only where a redirect of its server may.
  let redirects: RedirectChain
  let media: MediaPlaylist
  let identity: PlaylistIdentity
  private(set) var standing = Standing.joins
  private(set) var keys: [String: [UInt8]] = [:]
  /// How many segments were joined since the playlist was fetched.
  private(set) var joinedCount = 0
  /// The versions of the resources whose parts are joined, the latest last.
  private(set) var resources: [SegmentedResource] = []
  /// The version of the resource whose part arrives.
  private var arriving: SegmentedResource?

  /// A playlist that alternates between more resources is unusual.
  static let resourceCountMax = 16

  /// - Parameter variant: the URL that was requested.
  init(
    url: TransferURL, variant: TransferURL, redirects: RedirectChain, media: MediaPlaylist
  ) {
    self.url = url
    self.redirects = redirects
    self.media = media
    identity = PlaylistIdentity(of: media, variant: variant)
  }

  mutating func addKey(_ key: [UInt8], for uri: String) { keys[uri] = key }

  /// The progress before the first segment.
  var progress: PlaylistProgress {
    PlaylistProgress(
      segmentCount: media.segments.count, milliseconds: media.milliseconds, identity: identity)
  }

  /// How a segment is decrypted; nil if it is not encrypted.
  func decryption(of index: Int) -> SegmentKey? {
    guard media.segments.indices.contains(index), let key = media.segments[index].key,
      let bytes = keys[key.uri]
    else { return nil }
    return SegmentKey(
      bytes: bytes, initializationVector: key.initializationVector,
      encryptedByteCount: media.segments[index].range?.byteCount)
  }

  // MARK: What belongs together

  /// Continues what is joined, with a proof. Returns whether that is possible.
  mutating func goOn(with progress: PlaylistProgress?) -> Bool {
    guard let progress, let known = progress.identity, let sample = progress.sample,
      identity.hasShape(of: known), media.segments.indices.contains(sample.index)
    else { return false }
    resources = progress.resources ?? []
    standing = .proves(sample)
    return true
  }

  /// The place in the file of a segment that is fetched again as a proof; nil for one that is
  /// appended.
  func proof(by purpose: RequestPurpose) -> JoinedSegment? {
    guard case .proves(let sample) = standing, purpose == .segment(sample.index) else { return nil }
    return sample
  }

  /// The segment that was fetched again was equal. Links that were renewed lead to a resource with
  /// validators of its own, which the parts that follow must have as well.
  mutating func recordProof() {
    standing = .joins
    keepArriving()
  }

  mutating func recordJoined() {
    joinedCount += 1
    keepArriving()
  }

  private mutating func keepArriving() {
    guard let arriving else { return }
    self.arriving = nil
    resources.removeAll { $0.url == arriving.url }
    resources.append(arriving)
    if resources.count > Self.resourceCountMax { resources.removeFirst() }
  }

  /// Whether a segment is only the beginning of an MP4 file.
  func isInitialization(_ index: Int) -> Bool {
    media.segments.indices.contains(index) && media.segments[index].isInitialization
  }

  /// What a response is that has no bytes of a recording, in words; nil if it may have some.
  static func pageInstead(_ head: ResponseHead) -> String? {
    guard (200..<300).contains(head.status), let type = head.mediaType else { return nil }
    if PageInstead.mediaTypes.contains(type) { return "a web page" }
    return messageTypes.contains(type) || Playlist.mediaTypes.contains(type) ? type : nil
  }

  /// What services say instead of what they are asked for.
  private static let messageTypes: Set<String> = [
    "application/json", "application/problem+json", "application/xml", "text/xml",
  ]

  // MARK: Parts of a resource

  /// The part of a resource that a request is for; nil for all of it.
  func range(of purpose: RequestPurpose) -> ByteRange? {
    guard case .segment(let index) = purpose, media.segments.indices.contains(index) else {
      return nil
    }
    return media.segments[index].range
  }

  /// `Range`, and `If-Range` where other parts of the resource are joined; none for all of it.
  func rangeHeaders(for purpose: RequestPurpose) -> [HeaderField] {
    guard let range = range(of: purpose) else { return [] }
    let field = HeaderField(received: "Range", "bytes=\(range.lower)-\(range.upper - 1)")
    let validator = resource(of: purpose)?.validator?.strongValue
    return [field] + (validator.map { [HeaderField(received: "If-Range", $0)] } ?? [])
  }

  /// Whether a response shows another version of the resource than the joined parts are from.
  func isOfOtherVersion(
    _ head: ResponseHead, total: Int64?, for purpose: RequestPurpose
  ) -> Bool {
    guard let known = resource(of: purpose) else { return false }
    if let total, let knownTotal = known.totalByteCount, total != knownTotal { return true }
    guard let old = known.validator, let new = head.validator else { return false }
    if let left = old.entityTag, let right = new.entityTag {
      // A tag that became weak names the same version.
      if left.trimmingPrefix("W/") != right.trimmingPrefix("W/") { return true }
      if old.strongEntityTag != nil { return false }
    }
    return KnownVersion(ofSameURL: old).isSurelyOther(new)
  }

  /// Notes the version of the resource whose part, or all of which, arrives.
  mutating func receive(_ head: ResponseHead, total: Int64?, for purpose: RequestPurpose) {
    arriving = nil
    guard range(of: purpose) != nil, let url = resourceURL(of: purpose) else { return }
    arriving = SegmentedResource(url: url, validator: head.validator, totalByteCount: total)
  }

  private func resource(of purpose: RequestPurpose) -> SegmentedResource? {
    guard let url = resourceURL(of: purpose) else { return nil }
    return resources.last { $0.url == url }
  }

  private func resourceURL(of purpose: RequestPurpose) -> String? {
    guard case .segment(let index) = purpose, media.segments.indices.contains(index),
      case .success(let parsed) = url.resolving(media.segments[index].uri)
    else { return nil }
    return parsed.url.text
  }

  // MARK: Requests

  /// The request for a segment, or first for its key.
  func request(forSegment index: Int) -> TransferMachine.AfterEnding {
    let segment = media.segments[index]
    if let key = segment.key, keys[key.uri] == nil {
      return request(for: key.uri, .document(.key(uri: key.uri)))
    }
    return request(for: segment.uri, .segment(index))
  }

  /// The request for something that the playlist names.
  private func request(
    for uri: String, _ purpose: RequestPurpose
  ) -> TransferMachine.AfterEnding {
    switch RedirectPolicy.decide(location: uri, from: url, redirectCount: 0) {
    case .follow(let target):
      return .request(
        NextRequest(url: target, redirects: redirects, mode: .resuming, purpose: purpose))
    case .refuse(let failure): return .failed(failure)
    }
  }
}
