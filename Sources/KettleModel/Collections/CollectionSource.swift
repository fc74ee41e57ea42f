/// What a user has named as the source of a collection, and the document that begins its list.
public struct CollectionSource: Hashable, Sendable, Codable {
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A repository of Hugging Face: models, datasets and spaces.
    case hub
    /// Pages of a web server that list a directory.
    case index
    /// A list in the format of sha256sum(1).
    case checksums
    /// A list with a JSON object on each line.
    case lines
    /// A Metalink that describes several files.
    case metalink
    /// An item of archive.org.
    case archive
    /// A record of Zenodo.
    case zenodo
    /// An article of figshare.
    case figshare
    /// A dataset of a server that runs Dataverse.
    case dataverse
    /// A prefix of a bucket that speaks the protocol of S3.
    case bucket
    /// A directory of a server of files, by FTP or SFTP.
    case directory
    /// A directory of a server that speaks WebDAV.
    case webDAV = "webdav"
  }

  public var kind: Kind
  /// The source in one form, such as `hf://org/model@main`.
  public var name: String
  /// The first document.
  public var url: TransferURL

  public init(_ kind: Kind, name: String, url: TransferURL) {
    self.kind = kind
    self.name = name
    self.url = url
  }

  /// The name of the directory for its files below the downloads directory; nil for one that gives
  /// no name.
  package var directoryName: FileName? {
    let path = name.split(separator: "?").first.map(String.init) ?? name
    var parts = path.split(separator: "/").map(String.init)
    switch kind {
    case .hub:
      parts = parts.map { part in part.split(separator: "@").first.map(String.init) ?? part }
    // The list itself is not the collection.
    case .checksums, .lines, .metalink: if parts.count > 2 { parts.removeLast() }
    // The number, without that of a version.
    case .figshare: parts = Array(parts.prefix(5))
    case .dataverse: parts = name.split { "/:=".contains($0) }.map(String.init)
    case .index, .archive, .zenodo, .bucket, .directory, .webDAV: break
    }
    return parts.last.flatMap { FileName(foreign: $0) }
  }
}
