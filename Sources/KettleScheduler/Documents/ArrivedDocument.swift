import KettleModel

/// A document that has arrived and was read.
///
/// Invariant: the scheduler sees no bytes of a document from outside. The time to read them grows
/// with their number, so they are read off the engine.
package enum ArrivedDocument: Sendable, Hashable {
  case checksumList(ChecksumList)
  /// The file of a Metalink that describes a single one.
  case metalink(Result<MetalinkFile, Unusable>)
  /// A playlist, and the URL of the variant that it was requested as; nil for the user's own URL.
  case playlist(Result<Playlist, PlaylistProblem>, variant: TransferURL?)
  /// A web page in place of a Metalink or a playlist.
  case page
  /// A key, and its URI in the playlist.
  case key([UInt8], uri: String)

  /// What is wrong with it, for the detail of a failure.
  package struct Unusable: Error, Hashable {
    let detail: String
  }

  package init(_ bytes: [UInt8], as document: RequestPurpose.Document) {
    switch document {
    case .checksumList: self = .checksumList(ChecksumList(bytes))
    case .metalink: self = Self.metalink(bytes)
    case .playlist: self = Self.playlist(bytes, variant: nil)
    case .variant(let variant): self = Self.playlist(bytes, variant: variant)
    case .key(let uri): self = .key(bytes, uri: uri)
    }
  }

  private static func metalink(_ bytes: [UInt8]) -> Self {
    do throws(MetalinkProblem) {
      let files = try MetalinkFile.read(bytes)
      guard let file = files.first, files.count == 1 else {
        return .metalink(.failure(Unusable(detail: "it describes \(files.count) files")))
      }
      return .metalink(.success(file))
    } catch {
      if PageTitle.isPage(bytes) { return .page }
      return .metalink(.failure(Unusable(detail: error.words)))
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
