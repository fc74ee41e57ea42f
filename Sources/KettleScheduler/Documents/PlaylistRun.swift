import KettleModel

/// The playlist of a run and the decryption keys that have arrived. Every run fetches both again,
/// because links expire.
struct PlaylistRun: Sendable, Hashable {
  /// The URL that served the playlist; its URIs are relative to this one.
  let url: TransferURL
  /// The chain for requests to its URIs: they may lead only where a redirect of its server may.
  let redirects: RedirectChain
  let media: MediaPlaylist
  private(set) var keys: [String: [UInt8]] = [:]
  /// How many segments were joined since the playlist was fetched.
  private(set) var joinedCount = 0

  init(url: TransferURL, redirects: RedirectChain, media: MediaPlaylist) {
    self.url = url
    self.redirects = redirects
    self.media = media
  }

  mutating func addKey(_ key: [UInt8], for uri: String) { keys[uri] = key }

  mutating func recordJoined() { joinedCount += 1 }

  /// The progress before the first segment.
  var progress: PlaylistProgress {
    PlaylistProgress(segmentCount: media.segments.count, milliseconds: media.milliseconds)
  }

  /// How a segment is decrypted; nil if it is not encrypted.
  func decryption(of index: Int) -> SegmentKey? {
    guard media.segments.indices.contains(index), let key = media.segments[index].key,
      let bytes = keys[key.uri]
    else { return nil }
    return SegmentKey(bytes: bytes, initializationVector: key.initializationVector)
  }

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
