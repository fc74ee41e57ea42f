import KettleCollections
import KettleModel

/// What the first attempt of a run fetches.
package enum RequestPurpose: Sendable, Hashable {
  /// The file.
  case file
  /// Something small that says what the file is. It is held in memory.
  case document(Document)
  /// The segment of a playlist with this index, which is appended to the file.
  case segment(Int)
  /// How many bytes of an interrupted upload the server has.
  case uploadOffset
  /// The response to an upload, of which only the bytes from this offset on are sent.
  case uploadRest(from: Int64)

  /// Whether the body of the response is the file.
  var isFile: Bool {
    switch self {
    case .file, .uploadRest: true
    case .document, .segment, .uploadOffset: false
    }
  }

  var isSegment: Bool {
    switch self {
    case .segment: true
    case .file, .document, .uploadOffset, .uploadRest: false
    }
  }

  package enum Document: Sendable, Hashable {
    /// A list with the digest of the file.
    case checksumList
    /// What names the URLs of the file.
    case metalink
    /// The same, as a torrent with web seeds.
    case torrent
    case playlist
    /// The playlist of a variant, by the URL that the playlist of variants names.
    case variant(TransferURL)
    /// The key of segments, by its URI in the playlist.
    case key(uri: String)
    /// A part of the list of a collection.
    case listing(ListingDocument)

    /// A longer document is not read.
    package var byteCountMax: Int {
      switch self {
      case .checksumList: ChecksumList.byteCountMax
      case .metalink: MetalinkFile.byteCountMax
      case .torrent: TorrentFile.byteCountMax
      case .playlist, .variant: Playlist.byteCountMax
      case .key: MediaPlaylist.Key.byteCount
      case .listing(let document): document.source.adapter()?.byteCountMax ?? 0
      }
    }

    /// The same with what a response says about the document.
    func answered(by head: ResponseHead, from url: TransferURL) -> Self {
      guard case .listing(let document) = self else { return self }
      return .listing(document.answered(by: head, from: url))
    }

    /// The failure of a document that cannot be used.
    func failure(on url: TransferURL, _ detail: String) -> TransferFailure {
      let code: TransferFailure.Code =
        switch self {
        case .checksumList: .checksumListUnusable
        case .metalink: .metalinkUnusable
        case .torrent: .torrentUnusable
        case .playlist, .variant, .key: .playlistUnusable
        case .listing: .listUnusable
        }
      return TransferFailure(code, on: url.text, detail: detail)
    }
  }
}

/// A document of the list of a collection, and what its response says about it.
package struct ListingDocument: Sendable, Hashable {
  let source: CollectionSource
  let request: ListingRequest
  /// What the server asks programs not to fetch.
  let rules: RobotRules?
  /// The URL that answered; until then the one that is requested.
  var url: TransferURL
  var mediaType: String?
  var link: String?
  /// The status of a response that is an error, and whose words are read.
  private(set) var errorStatus: Int?

  init(_ request: ListingRequest, of source: CollectionSource, rules: RobotRules?) {
    self.source = source
    self.request = request
    self.rules = rules
    url = request.url
  }

  /// What is requested of the server; nil for a GET.
  var content: RequestContent? {
    switch request.form {
    case .document, .rules: nil
    case .properties: RequestContent(method: "PROPFIND")
    }
  }

  /// The header fields of the request. Caddy gives exact sizes and dates in JSON alone, and does so
  /// if that is accepted at all (https://caddyserver.com/docs/caddyfile/directives/file_server).
  var headers: [HeaderField] {
    switch request.form {
    case .document where source.kind == .index:
      [HeaderField(received: "Accept", "text/html, application/json;q=0.9, */*;q=0.8")]
    case .document, .rules: []
    case .properties: [HeaderField(received: "Depth", "1")]
    }
  }

  /// Returns a response as one to a GET of a document: 207 is success if it was asked for (RFC
  /// 4918, section 11.1), a server without rules permits everything (RFC 9309, section 2.3.1.3),
  /// and an error may be a document as well.
  func understood(_ head: ResponseHead) -> ResponseHead {
    let isSuccess =
      switch request.form {
      case .document: isReadError(head)
      case .properties: head.status == 207
      case .rules: [400, 401, 403, 404, 405, 406, 410, 451].contains(head.status)
      }
    guard isSuccess else { return head }
    var head = head
    head.status = 200
    return head
  }

  private func isReadError(_ head: ResponseHead) -> Bool {
    let isFinal = [400, 403, 404, 410].contains(head.status)
    // A bucket of another region, which is known by the document alone.
    let isElsewhere = head.status == 301 && head.value(of: "Location") == nil
    return (isFinal || isElsewhere) && source.adapter()?.readsErrors == true
  }

  /// The same with what a response says about the document.
  func answered(by head: ResponseHead, from url: TransferURL) -> Self {
    var document = self
    document.url = url
    document.mediaType = head.mediaType
    let links = head.values(of: "Link")
    document.link = links.isEmpty ? nil : links.joined(separator: ", ")
    document.errorStatus = isReadError(head) ? head.status : nil
    return document
  }

  /// Reads the document. The time grows with its size.
  fileprivate func page(_ bytes: [UInt8]) -> Result<ListingPage, ArrivedDocument.Unusable> {
    if request.form == .rules {
      var page = ListingPage()
      page.rules = RobotRules(bytes)
      return .success(page)
    }
    guard let adapter = source.adapter() else {
      return .failure(ArrivedDocument.Unusable(detail: "its source is unknown"))
    }
    let answer = ListingAnswer(url, bytes, mediaType: mediaType, link: link)
    return Result { () throws(ListingProblem) in
      var page = try adapter.read(answer, to: request)
      if errorStatus != nil { throw ListingProblem("it is an error") }
      rules?.restrict(&page, of: answer)
      return page
    }.mapError { problem in
      let status = errorStatus.map { ", with the status \($0)" } ?? ""
      return ArrivedDocument.Unusable(detail: problem.words + status)
    }
  }
}

/// A document that has arrived and was read.
///
/// Invariant: the scheduler sees no bytes of a document from outside. The time to read them grows
/// with their number, so they are read off the engine.
package enum ArrivedDocument: Sendable, Hashable {
  case checksumList(ChecksumList)
  /// The file of a Metalink or a torrent that describes a single one.
  case metalink(Result<MetalinkFile, Unusable>, as: RequestPurpose.Document)
  /// The files of a Metalink that describes several.
  case metalinkOfFiles(ListingPage)
  /// A playlist, and the URL of the variant that it was requested as; nil for the user's own URL.
  case playlist(Result<Playlist, PlaylistProblem>, variant: TransferURL?)
  /// A web page in place of a Metalink, a torrent or a playlist.
  case page
  /// A key, and its URI in the playlist.
  case key([UInt8], uri: String)
  /// A part of the list of a collection.
  case listing(Result<ListingPage, Unusable>)

  /// What is wrong with it, for the detail of a failure.
  package struct Unusable: Error, Hashable {
    let detail: String
  }

  package init(_ bytes: [UInt8], as document: RequestPurpose.Document) {
    switch document {
    case .checksumList: self = .checksumList(ChecksumList(bytes))
    case .metalink:
      self = Self.described(bytes, as: document) { bytes throws(Unusable) in
        do throws(MetalinkProblem) { return try MetalinkFile.read(bytes) } catch {
          throw Unusable(detail: error.words)
        }
      }
    case .torrent:
      self = Self.described(bytes, as: document) { bytes throws(Unusable) in
        do throws(TorrentProblem) { return try TorrentFile.read(bytes).sources() } catch {
          throw Unusable(detail: error.words)
        }
      }
    case .playlist: self = Self.playlist(bytes, variant: nil)
    case .variant(let variant): self = Self.playlist(bytes, variant: variant)
    case .key(let uri): self = .key(bytes, uri: uri)
    case .listing(let document): self = .listing(document.page(bytes))
    }
  }

  private static func described(
    _ bytes: [UInt8], as document: RequestPurpose.Document,
    by read: ([UInt8]) throws(Unusable) -> [MetalinkFile]
  ) -> Self {
    do throws(Unusable) {
      let files = try read(bytes)
      if files.count > 1, document == .metalink {
        return .metalinkOfFiles(MetalinkListing.page(files))
      }
      guard let file = files.first, files.count == 1 else {
        throw Unusable(detail: "it describes \(files.count) files")
      }
      return .metalink(.success(file), as: document)
    } catch {
      return PageTitle.isPage(bytes) ? .page : .metalink(.failure(error), as: document)
    }
  }

  private static func playlist(_ bytes: [UInt8], variant: TransferURL?) -> Self {
    do throws(PlaylistProblem) {
      return .playlist(.success(try Playlist.read(bytes)), variant: variant)
    } catch {
      // No line of a playlist begins with markup.
      let isMarkup = bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
      if error == .notPlaylist, isMarkup { return .page }
      return .playlist(.failure(error), variant: variant)
    }
  }
}

/// The documents of a run that have each led to the next one. Without a limit, a document that
/// names itself would be requested for ever.
struct DocumentChain: Sendable, Hashable {
  /// Real chains are shorter: a redirect to a Metalink that lists a playlist, for example.
  static let countMax = 5

  private var urls: [TransferURL] = []

  /// Follows one more document. Returns what is wrong with that, for the detail of a failure.
  mutating func follow(_ url: TransferURL) -> String? {
    if urls.contains(url) { return "it leads back to itself" }
    guard urls.count < Self.countMax else {
      return "more than \(Self.countMax) documents lead from one to the next"
    }
    urls.append(url)
    return nil
  }
}
