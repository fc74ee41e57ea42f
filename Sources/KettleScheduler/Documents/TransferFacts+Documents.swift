import KettleModel

/// The documents that a transfer needs before its file: a list of checksums, a Metalink, a
/// playlist.
extension TransferFacts {
  /// The request that begins a run.
  var firstRequest: NextRequest {
    guard let document = neededDocument else { return uploadContinuation ?? firstFileRequest }
    let url = document == .checksumList ? spec.options.checksumURL ?? spec.url : spec.url
    return NextRequest(
      url: url, redirects: .none, mode: .resuming, purpose: .document(document))
  }

  /// The document to fetch next; nil when everything is known. A program gets what it requests.
  private var neededDocument: RequestPurpose.Document? {
    guard !isTask, spec.content == nil else { return nil }
    if spec.options.checksumURL != nil, spec.checksum == nil { return .checksumList }
    guard !spec.options.isAsIs, spec.url.scheme.family == .http else { return nil }
    switch description {
    case .metalink: return .metalink
    case .playlist: return .playlist
    case .none: break
    }
    if MetalinkFile.isNamed(spec.url.path) { return .metalink }
    return Playlist.isNamed(spec.url.path) ? .playlist : nil
  }

  /// Returns whether a response to a request for the file is a playlist or a Metalink, and records
  /// that. It is then requested again, as a document.
  mutating func recordDescription(_ head: ResponseHead) -> Bool {
    guard !isTask, spec.content == nil, !spec.options.isAsIs, let type = head.mediaType,
      resumeData?.durable.isEmpty ?? true
    else { return false }
    if Playlist.mediaTypes.contains(type) {
      description = .playlist
    } else if type == MetalinkFile.mediaType {
      description = .metalink
    } else {
      return false
    }
    return true
  }

  /// Uses a document that has arrived. Returns what follows.
  ///
  /// - Parameters:
  ///   - url: where it came from.
  ///   - redirects: the chain for requests to the URLs in it.
  mutating func use(
    _ bytes: [UInt8], as document: RequestPurpose.Document, from url: TransferURL,
    redirects: RedirectChain, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    switch document {
    case .checksumList: return useChecksumList(bytes, from: url)
    case .metalink: return useMetalink(bytes, from: url, reach: redirects.minimumReach, in: context)
    case .playlist: return usePlaylist(bytes, from: url, redirects)
    case .key(let uri):
      guard bytes.count == MediaPlaylist.Key.byteCount else {
        return .failed(document.failure(on: url, "its key has \(bytes.count) bytes"))
      }
      playlist?.addKey(bytes, for: uri)
      return nextSegment()
    }
  }

  private mutating func useChecksumList(
    _ bytes: [UInt8], from url: TransferURL
  ) -> TransferMachine.AfterEnding {
    let list = ChecksumList(bytes)
    let names = [spec.name, FileName.fromURL(spec.url)].compactMap { $0 }
    guard let checksum = list.checksum(forOneOf: names) else {
      let detail =
        list.isEmpty
        ? "it has no checksum"
        : "it has no line for \(names.map { "\"\($0)\"" }.joined(separator: " or "))"
      return .failed(RequestPurpose.Document.checksumList.failure(on: url, detail))
    }
    spec.checksum = checksum
    return .request(firstRequest)
  }

  // MARK: Metalinks

  private mutating func useMetalink(
    _ bytes: [UInt8], from url: TransferURL, reach: NetworkReach, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    let document = RequestPurpose.Document.metalink
    do throws(MetalinkProblem) {
      let files = try MetalinkFile.read(bytes)
      guard var file = files.first, files.count == 1 else {
        return .failed(document.failure(on: url, "it describes \(files.count) files"))
      }
      let isVerified = spec.checksum != nil || file.checksum != nil
      file.urls.removeAll { !url.permitsMetalink(toName: $0.url, reach: reach, isVerified) }
      guard let first = file.urls.first?.url else {
        return .failed(document.failure(on: url, "it has no URL that may be used"))
      }
      description = .none
      replaceLink(with: first, login: nil)
      file.complete(&spec)
      chooseOpener(at: context.now.monotonic)
      return .request(firstFileRequest)
    } catch {
      return .failed(document.failure(on: url, error.words))
    }
  }

  // MARK: Playlists

  private mutating func usePlaylist(
    _ bytes: [UInt8], from url: TransferURL, _ redirects: RedirectChain
  ) -> TransferMachine.AfterEnding {
    do throws(PlaylistProblem) {
      switch try Playlist.read(bytes) {
      case .variants(let variants):
        let variant = try Playlist.choose(spec.options.variant, of: variants)
        return request(forVariant: variant.uri, from: url, redirects)
      case .segments(let media):
        playlist = PlaylistRun(url: url, redirects: redirects.restarted, media: media)
        return beginSegments(of: media)
      }
    } catch {
      switch error {
      // A list of songs or another text is a file like any other.
      case .notPlaylist where resumeData?.playlist == nil:
        spec.options.isAsIs = true
        return .request(firstFileRequest)
      case .live: return .failed(TransferFailure(.liveStream, on: url.text))
      case .notPlaylist, .empty, .tooLong, .malformed, .encryption, .gap, .soundApart:
        return .failed(RequestPurpose.Document.playlist.failure(on: url, error.words))
      }
    }
  }

  private func request(
    forVariant uri: String, from url: TransferURL, _ redirects: RedirectChain
  ) -> TransferMachine.AfterEnding {
    // As often as redirects may be followed: a variant must not lead back to itself.
    switch RedirectPolicy.decide(
      location: uri, from: url, redirectCount: redirects.count)
    {
    case .follow(let target):
      return .request(
        NextRequest(
          url: target, redirects: redirects, mode: .resuming, purpose: .document(.playlist)))
    case .refuse(let failure): return .failed(failure)
    }
  }

  /// Continues with the segments that are missing. Another recording is fetched from the beginning.
  private mutating func beginSegments(of media: MediaPlaylist) -> TransferMachine.AfterEnding {
    guard let resumeData, !resumeData.durable.isEmpty else { return nextSegment() }
    let known = resumeData.playlist
    if known?.segmentCount == media.segments.count, known?.milliseconds == media.milliseconds {
      return nextSegment()
    }
    freshStart = .resourceChanged
    repetitions.recordFreshStart()
    guard repetitions.permitsFreshStart else {
      return .failed(TransferFailure(.otherVersion, on: urlText, detail: "it changes each time"))
    }
    forgetBytes()
    return nextSegment()
  }

  /// Begins a playlist from its first segment; nil for any other file. Fetching its URL as a file
  /// would store the playlist itself.
  mutating func startingPlaylistFresh(
    because reason: FreshStartReason
  ) -> TransferMachine.AfterEnding? {
    guard playlist != nil || resumeData?.playlist != nil else { return nil }
    switch reason {
    // The changed file belongs to another program now.
    case .partialFileChanged: resumeData = nil
    case .resourceChanged, .rangeIgnored, .noValidator, .asked: forgetBytes()
    }
    return .request(firstRequest)
  }

  /// The request for the next segment, or the end when all are joined.
  func nextSegment() -> TransferMachine.AfterEnding {
    guard let playlist else { return .request(firstRequest) }
    let joinedCount = resumeData?.playlist?.joinedCount ?? 0
    guard joinedCount < playlist.media.segments.count else { return .whole }
    return playlist.request(forSegment: joinedCount)
  }

  /// Records that the bytes of one more segment are durable.
  mutating func recordSegment(_ closed: ClosedBody) {
    guard var progress = resumeData?.playlist else { return }
    progress.joinedCount += 1
    progress.joinedByteCount = closed.durable.prefixByteCount
    resumeData?.playlist = progress
    playlist?.recordJoined()
    recordSynced(closed.durable)
    resumeData?.lastWriteNanoseconds = closed.modifiedNanoseconds
  }

  /// What follows a segment that is gone from the server: its link may have expired while others
  /// were fetched. Then the playlist is fetched again.
  func afterMissingSegment(_ failure: TransferFailure) -> TransferMachine.AfterEnding {
    guard let playlist, playlist.joinedCount > 0 else { return .failed(failure) }
    return .request(firstRequest)
  }

  /// The MIME type of what is joined, for the user's rules; nil if it is neither video nor sound.
  var typeOfPlaylist: String? {
    switch playlist?.media.fileExtension ?? MediaPlaylist.usualExtension {
    case "ts": "video/mp2t"
    case "mp4": "video/mp4"
    case "aac": "audio/aac"
    case "mp3": "audio/mpeg"
    case "ac3": "audio/ac3"
    case "ec3": "audio/eac3"
    default: nil
    }
  }

  /// The partial file of a playlist. Its name is that of the playlist, with the file name extension
  /// of the segments.
  func bodyPlanOfPlaylist() -> BodyPlan {
    if let resumeData { return .goOn(resumeData) }
    let type = playlist?.media.fileExtension ?? MediaPlaylist.usualExtension
    let own = FileName.fromURL(spec.url) ?? FileName.fallback
    let stem = Playlist.isNamed(own) ? String(own.dropLast(".m3u8".count)) : own
    let name = FileName.chosen(
      userGiven: spec.name ?? "\(stem).\(type)", contentDisposition: nil, url: spec.url)
    return .create(BodyPlan.NewFile(preferredName: name, total: nil, validator: nil))
  }
}

extension TransferURL {
  /// Whether a Metalink from this URL may name another URL: not one on a server of files, where the
  /// user's keys are at stake, not one that only the user can reach, and an unencrypted one only if
  /// a digest verifies the file.
  fileprivate func permitsMetalink(
    toName other: TransferURL, reach: NetworkReach, _ isVerified: Bool
  ) -> Bool {
    other.scheme.family == .http && (other.literalReach ?? .world) >= reach
      && (isVerified || scheme == .http || other.scheme == .https)
  }

  /// The reach of an address that stands for the host; nil for a name.
  fileprivate var literalReach: NetworkReach? {
    if isLoopback { return .machine }
    let address = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return IPAddress(address).map { AddressScope(of: $0).reach }
  }
}
