import KettleCollections
import KettleModel

/// The documents that a transfer needs before its file: a list of checksums, a Metalink, a
/// playlist.
extension TransferFacts {
  /// The request that begins a run.
  var firstRequest: NextRequest {
    guard let document = neededDocument else { return uploadContinuation ?? firstFileRequest }
    let list = document == .checksumList ? spec.options.checksumURL : nil
    let source = list.map { ChainedURL(given: $0) } ?? spec.source
    var request = NextRequest(
      url: source.url, redirects: RedirectChain(to: source), mode: .resuming,
      purpose: .document(document))
    if case .listing(let document) = document {
      request.url = document.url
      request.content = document.content
      request.redirects = listing?.redirects ?? request.redirects
    }
    return request
  }

  /// The document to fetch next; nil when everything is known. A program gets what it requests.
  private var neededDocument: RequestPurpose.Document? {
    guard !isTask, spec.content == nil else { return nil }
    if let document = neededListing { return .listing(document) }
    if spec.options.checksumURL != nil, spec.checksum == nil { return .checksumList }
    guard !spec.options.isAsIs, spec.url.scheme.family == .http else { return nil }
    switch description {
    case .metalink: return .metalink
    case .torrent: return .torrent
    case .playlist: return .playlist
    case .page: return nil
    case .none: break
    }
    if MetalinkFile.isNamed(spec.url.path) { return .metalink }
    if TorrentFile.isNamed(spec.url.path) { return .torrent }
    return Playlist.isNamed(spec.url.path) ? .playlist : nil
  }

  /// Returns whether a response to a request for the file is a playlist, a Metalink or a torrent,
  /// and records that. It is then requested again, as a document.
  mutating func recordDescription(_ head: ResponseHead) -> Bool {
    guard !isTask, spec.content == nil, !spec.options.isAsIs, description != .page,
      let type = head.mediaType, resumeData?.durable.isEmpty ?? true
    else { return false }
    if Playlist.mediaTypes.contains(type) {
      description = .playlist
    } else if type == MetalinkFile.mediaType {
      description = .metalink
    } else if type == TorrentFile.mediaType {
      description = .torrent
    } else {
      return false
    }
    return true
  }

  /// Returns what is wrong with a response that is no page, although a page came in place of the
  /// document a moment ago: it may be the document, which is not the file. The next run requests
  /// the document again.
  mutating func refusingOtherThanPage(
    _ head: ResponseHead, from url: TransferURL
  ) -> TransferFailure? {
    guard description == .page, !PageInstead.mediaTypes.contains(head.mediaType ?? "") else {
      return nil
    }
    description = .none
    return TransferFailure(
      .contradictoryReply, on: url.text, detail: "a page, and then something else")
  }

  /// Uses a document that has arrived. Returns what follows.
  ///
  /// - Parameters:
  ///   - url: where it came from.
  ///   - redirects: the chain for requests to the URLs in it.
  mutating func use(
    _ document: ArrivedDocument, from url: TransferURL, redirects: RedirectChain,
    in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    switch document {
    case .checksumList(let list): return useChecksumList(list, from: url)
    case .metalink(let read, let document):
      return useMetalink(read, as: document, from: url, redirects.minimumReach, in: context)
    case .metalinkOfFiles(let page): return useFiles(page, from: url, redirects)
    case .playlist(let read, let variant):
      return usePlaylist(read, variant: variant ?? spec.url, from: url, redirects, in: context)
    case .page: return afterPage(from: url, in: context)
    case .key(let bytes, let uri):
      guard bytes.count == MediaPlaylist.Key.byteCount else {
        return .failed(
          RequestPurpose.Document.key(uri: uri)
            .failure(on: url, "its key has \(bytes.count) bytes"))
      }
      playlist?.addKey(bytes, for: uri)
      return nextSegment()
    case .listing(let read): return useListing(read, from: url, redirects)
    }
  }

  private mutating func useChecksumList(
    _ list: ChecksumList, from url: TransferURL
  ) -> TransferMachine.AfterEnding {
    let names = [spec.name?.text, FileName.fromURL(spec.url)].compactMap { $0 }
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

  /// What follows when a web page arrives in place of a document that names the file. Without bytes
  /// the page is fetched as the file, which waits for a decision.
  private mutating func afterPage(
    from url: TransferURL, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    if resumeData?.playlist != nil {
      return afterPage("a web page in place of the playlist", at: url, in: context)
    }
    guard resumeData?.durable.isEmpty ?? true else {
      return .waiting(.forEvent(.needsLink, .pageInstead(of: url)))
    }
    description = .page
    return .request(firstFileRequest)
  }

  // MARK: Metalinks

  private mutating func useMetalink(
    _ read: Result<MetalinkFile, ArrivedDocument.Unusable>, as document: RequestPurpose.Document,
    from url: TransferURL, _ reach: NetworkReach, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    if let detail = documents.follow(url) { return .failed(document.failure(on: url, detail)) }
    do throws(ArrivedDocument.Unusable) {
      var file = try read.get()
      let isVerified =
        spec.checksum != nil || file.checksum != nil || file.pieces?.coversAll == true
      file.urls.removeAll { !url.permitsDocument(toName: $0.url, reach: reach, isVerified) }
      guard let first = file.urls.first?.url else {
        return .failed(document.failure(on: url, "it has no URL that may be used"))
      }
      description = .none
      replaceLink(with: ChainedURL(first, namedBy: reach), login: nil)
      file.complete(&spec, namedBy: reach)
      if let held = resumeData, held.durable.isEmpty,
        MetalinkFile.isNamed(held.finalName) || TorrentFile.isNamed(held.finalName)
      {
        let name = FileName.chosen(given: spec.name, contentDisposition: nil, url: spec.url)
        resumeData?.finalName = name
      }
      chooseOpener(at: context.now.monotonic)
      return .request(firstFileRequest)
    } catch {
      return .failed(document.failure(on: url, error.detail))
    }
  }

  /// Makes the transfer a collection of the files that a Metalink describes. Fails if the transfer
  /// is for one file: it has bytes, a checksum or mirrors, which every file would take over.
  private mutating func useFiles(
    _ page: ListingPage, from url: TransferURL, _ redirects: RedirectChain
  ) -> TransferMachine.AfterEnding {
    guard resumeData == nil, spec.checksum == nil, spec.options.mirrors.isEmpty else {
      let detail = "it describes \(page.members.count + page.refusedCount) files"
      return .failed(RequestPurpose.Document.metalink.failure(on: url, detail))
    }
    description = .none
    spec.name = nil
    spec.options.collection = CollectionRequest(
      CollectionSource(.metalink, name: spec.url.text, url: spec.url))
    return useListing(.success(page), from: url, redirects)
  }

  // MARK: Playlists

  /// - Parameter variant: the URL that was requested, before redirects.
  private mutating func usePlaylist(
    _ read: Result<Playlist, PlaylistProblem>, variant: TransferURL, from url: TransferURL,
    _ redirects: RedirectChain, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    do throws(PlaylistProblem) {
      switch try read.get() {
      case .variants(let variants):
        if let detail = documents.follow(url) {
          return .failed(RequestPurpose.Document.playlist.failure(on: url, detail))
        }
        if let begun = resumeData?.playlist?.identity?.variant(among: variants, listedAt: url) {
          return request(forVariant: begun.uri, from: url, redirects)
        }
        let chosen = try Playlist.choose(spec.options.variant, of: variants)
        return request(forVariant: chosen.uri, from: url, redirects)
      case .segments(let media):
        // When a segment is gone, the chain is followed once more.
        documents = DocumentChain()
        return beginSegments(
          of: PlaylistRun(
            url: url, variant: variant, redirects: redirects.restarted, media: media))
      }
    } catch {
      switch error {
      // A list of songs or another text is a file like any other.
      case .notPlaylist where resumeData?.playlist == nil:
        spec.options.isAsIs = true
        return .request(firstFileRequest)
      case .live: return .failed(TransferFailure(.liveStream, on: url.text))
      case .notPlaylist, .empty, .tooLong, .malformed, .encryption, .gap, .skipped, .soundApart:
        return .failed(RequestPurpose.Document.playlist.failure(on: url, error.words))
      }
    }
  }

  private func request(
    forVariant uri: String, from url: TransferURL, _ redirects: RedirectChain
  ) -> TransferMachine.AfterEnding {
    switch RedirectPolicy.decide(
      location: uri, from: url, redirectCount: redirects.count)
    {
    case .follow(let target):
      return .request(
        NextRequest(
          url: target, redirects: redirects, mode: .resuming,
          purpose: .document(.variant(target))))
    case .refuse(let failure): return .failed(failure)
    }
  }

  /// Continues with the segments that are missing, after a proof that they belong to those that are
  /// joined. Another recording is fetched from the beginning; if the user has replaced the link,
  /// which may be a wrong one, nothing is discarded for it.
  private mutating func beginSegments(of run: PlaylistRun) -> TransferMachine.AfterEnding {
    var run = run
    guard let resumeData, !resumeData.durable.isEmpty else { return beginPlaylist(run) }
    if run.goOn(with: resumeData.playlist) {
      playlist = run
      return nextSegment()
    }
    if resumeData.validatorURL != nil, resumeData.playlist?.identity != nil {
      let failure = TransferFailure(
        .otherFile, on: urlText, detail: "its playlist has other segments")
      return .waiting(.forEvent(.needsLink, failure))
    }
    freshStart = .resourceChanged
    repetitions.recordFreshStart()
    guard repetitions.permitsFreshStart else {
      return .failed(TransferFailure(.otherVersion, on: urlText, detail: "it changes each time"))
    }
    return beginPlaylist(run)
  }

  private mutating func beginPlaylist(_ run: PlaylistRun) -> TransferMachine.AfterEnding {
    playlist = run
    forgetBytes()
    resumeData?.playlist = run.progress
    resumeData?.validatorURL = nil
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
    case .resourceChanged, .rangeIgnored, .noValidator, .otherSources, .contradictoryReplies,
      .otherBeginning, .asked:
      forgetBytes()
      // What an open partial file still holds does not count when it is closed.
      resumeData?.playlist = .nothing
    }
    return .request(firstRequest)
  }

  /// The request for the next segment, or the end when all are joined.
  func nextSegment() -> TransferMachine.AfterEnding {
    guard let playlist else { return .request(firstRequest) }
    let joinedCount = resumeData?.playlist?.joinedCount ?? 0
    guard joinedCount < playlist.media.segments.count else { return .whole }
    if case .proves(let sample) = playlist.standing {
      return playlist.request(forSegment: sample.index)
    }
    return playlist.request(forSegment: joinedCount)
  }

  /// Records that the bytes of one more segment are durable, or that a joined one was equal.
  mutating func recordSegment(_ closed: ClosedBody) {
    guard var progress = resumeData?.playlist, let run = playlist else { return }
    switch run.standing {
    case .proves:
      playlist?.recordProof()
      progress.identity = run.identity
      progress.resources = playlist?.resources
      resumeData?.validatorURL = nil
    case .joins:
      playlist?.recordJoined()
      let lower = progress.joinedByteCount
      progress.joinedByteCount = closed.durable.prefixByteCount
      // The beginnings of MP4 files may be equal in two recordings.
      if progress.sample == nil || !run.isInitialization(progress.joinedCount) {
        progress.sample = JoinedSegment(
          index: progress.joinedCount, lower: lower, upper: progress.joinedByteCount)
      }
      progress.joinedCount += 1
      progress.resources = playlist?.resources
    }
    resumeData?.playlist = progress
    recordSynced(closed.durable)
    resumeData?.lastWriteNanoseconds = closed.modifiedNanoseconds
    recordSample(closed.sample)
  }

  /// Another request for the playlist, where a segment is gone from the server: its link may have
  /// expired while others were fetched. nil if none was.
  var refetchingPlaylist: TransferMachine.AfterEnding? {
    guard let playlist, playlist.joinedCount > 0 else { return nil }
    return .request(firstRequest)
  }

  /// What follows a web page in place of a part of a recording: a network that asks to sign in, or
  /// a link that has expired. The page is never joined. It passes, or the user is asked.
  ///
  /// - Parameter what: what was sent in place of what.
  func afterPage(
    _ what: String, at url: TransferURL, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    let failure = TransferFailure(.linkExpired, on: url.text, detail: "it sent \(what)")
    let policy = context.retryPolicy.adapted(to: spec.options)
    guard retryCount < policy.retryCountMax else {
      return .waiting(.forEvent(.needsLink, failure))
    }
    let delay = policy.delayMilliseconds(retryCount: retryCount, jitter: context.jitter)
    return .waiting(.retrying(after: delay, .retry, failure, at: context.now))
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
    let type = playlist?.media.fileExtension ?? MediaPlaylist.usualExtension
    let own = FileName.fromURL(spec.url) ?? FileName.fallback
    let stem = Playlist.isNamed(own) ? String(own.dropLast(".m3u8".count)) : own
    let name = FileName.chosen(
      given: spec.name ?? FileName(foreign: "\(stem).\(type)"), contentDisposition: nil,
      url: spec.url)
    guard var resumeData else {
      return .create(BodyPlan.NewFile(preferredName: name, total: nil, validator: nil))
    }
    // A page that arrived in its place has left the name of the playlist.
    if resumeData.durable.isEmpty, Playlist.isNamed(resumeData.finalName) {
      resumeData.finalName = name
    }
    return .goOn(resumeData)
  }
}

extension TransferURL {
  /// Whether a document from this URL may name another URL for a file: not one on another server of
  /// files, where the user's keys are at stake, not one that only the user can reach, and an
  /// unencrypted one only if a digest verifies the file.
  func permitsDocument(
    toName other: TransferURL, reach: NetworkReach, _ isVerified: Bool
  ) -> Bool {
    if other.origin == origin, scheme.family != .http { return true }
    return other.scheme.family == .http && (other.literalReach ?? .world) >= reach
      && (isVerified || scheme == .http || other.scheme == .https)
  }

  /// The reach of an address that stands for the host; nil for a name.
  fileprivate var literalReach: NetworkReach? {
    if isLoopback { return .machine }
    let address = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return IPAddress(address).map { AddressScope(of: $0).reach }
  }
}
