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

  package enum Document: Sendable, Hashable {
    /// A list with the digest of the file.
    case checksumList
    /// What names the URLs of the file.
    case metalink
    case playlist
    /// The playlist of a variant, by the URL that the playlist of variants names.
    case variant(TransferURL)
    /// The key of segments, by its URI in the playlist.
    case key(uri: String)

    /// A longer document is not read.
    package var byteCountMax: Int {
      switch self {
      case .checksumList: ChecksumList.byteCountMax
      case .metalink: MetalinkFile.byteCountMax
      case .playlist, .variant: Playlist.byteCountMax
      case .key: MediaPlaylist.Key.byteCount
      }
    }

    /// The failure of a document that cannot be used.
    func failure(on url: TransferURL, _ detail: String) -> TransferFailure {
      let code: TransferFailure.Code =
        switch self {
        case .checksumList: .checksumListUnusable
        case .metalink: .metalinkUnusable
        case .playlist, .variant, .key: .playlistUnusable
        }
      return TransferFailure(code, on: url.text, detail: detail)
    }
  }
}
