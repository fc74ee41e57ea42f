/// What a document says about the files below a directory: a list of checksums, a Metalink or a
/// torrent.
///
/// Invariant: each path leads down from the directory, and there is at least one entry.
package struct Manifest: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// nil for the digest of a file that the document does not name.
    package var path: DocumentPath?
    package var byteCount: Int64?
    /// The digests of the whole file, all of which must match.
    package var checksums: [Checksum] = []
    package var pieces: PieceHashes?

    package init(
      path: DocumentPath? = nil, byteCount: Int64? = nil, checksums: [Checksum] = [],
      pieces: PieceHashes? = nil
    ) {
      self.path = path
      self.byteCount = byteCount
      self.checksums = checksums
      self.pieces = pieces
    }
  }

  /// In the order of the document.
  package let entries: [Entry]

  /// How many bytes a manifest may have.
  package static let byteCountMax = max(
    ChecksumList.byteCountMax, MetalinkFile.byteCountMax, TorrentFile.byteCountMax)

  /// Reads a manifest, whose first bytes show what it is.
  package static func read(_ bytes: [UInt8]) throws(ManifestProblem) -> Manifest {
    guard bytes.count <= byteCountMax else { throw .tooLarge }
    if TorrentFile.isBegun(by: bytes) {
      do throws(TorrentProblem) { return Manifest(try TorrentFile.read(bytes)) } catch {
        throw .torrent(error)
      }
    }
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    if bytes.dropFirst(mark).first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
      do throws(MetalinkProblem) { return try Manifest(try MetalinkFile.read(bytes)) } catch {
        throw .metalink(error)
      }
    }
    return try Manifest(listIn: bytes)
  }

  /// Torrents have the paths of their files below the directory of the torrent.
  private init(_ torrent: TorrentFile) {
    entries = torrent.entries.map { entry in
      let path = DocumentPath((torrent.directory?.components ?? []) + entry.path.components)
      return Entry(path: path ?? entry.path, byteCount: entry.byteCount, pieces: entry.pieces)
    }
  }

  private init(_ files: [MetalinkFile]) throws(MetalinkProblem) {
    entries = files.compactMap { file in
      guard let path = file.path else { return nil }
      return Entry(
        path: path, byteCount: file.byteCount, checksums: file.checksum.map { [$0] } ?? [],
        pieces: file.pieces)
    }
    if entries.isEmpty { throw .empty }
  }

  private init(listIn bytes: [UInt8]) throws(ManifestProblem) {
    var entries: [Entry] = []
    var known: [String: Int] = [:]
    var outside: String?
    ChecksumList.read(bytes) { line in
      let path = line.path.flatMap { DocumentPath($0) }
      if path == nil, line.path != nil {
        outside = outside ?? line.path
      } else if let path, let index = known[path.text] {
        if !entries[index].checksums.contains(line.checksum) {
          entries[index].checksums.append(line.checksum)
        }
      } else {
        if let path { known[path.text] = entries.count }
        entries.append(Entry(path: path, checksums: [line.checksum]))
      }
    }
    if let outside { throw .outside(outside) }
    guard !entries.isEmpty else { throw .empty }
    self.entries = entries
  }
}

/// What is on the disk in the place of a file that a manifest describes.
package enum ManifestStanding: Hashable, Sendable {
  case missing
  /// A directory, a device or another thing that is no file.
  case notAFile
  case unreadable(detail: String)
  case read(Comparison)

  package struct Comparison: Hashable, Sendable {
    /// The size of the file.
    package var byteCount: Int64
    /// The pieces that differ, joined where they touch.
    package var damaged = ByteRangeSet()
    /// The digests of the manifest that the whole file does not have.
    package var wrong: [Checksum] = []
    /// Those that it has in their place.
    package var inPlaceOfWrong: [Checksum] = []

    package init(byteCount: Int64) { self.byteCount = byteCount }
  }

  /// Whether the file is the one that the manifest describes, as far as that says.
  package func matches(_ entry: Manifest.Entry) -> Bool {
    guard case .read(let found) = self else { return false }
    return found.damaged.isEmpty && found.wrong.isEmpty
      && found.byteCount == entry.byteCount ?? found.byteCount
  }
}

/// Why a manifest cannot be used.
package enum ManifestProblem: Error, Hashable, Sendable {
  case tooLarge
  case torrent(TorrentProblem)
  case metalink(MetalinkProblem)
  /// No line has a checksum.
  case empty
  /// A path that leads out of the directory.
  case outside(String)
  /// A digest without a name, and no file that it could be of.
  case nameless
  /// A file that it does not describe.
  case notListed(String)
}
