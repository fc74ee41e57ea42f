/// The files of a torrent (BEP 3, BEP 52), as far as a program needs them that fetches from web
/// servers alone: names, sizes, digests of pieces, and the URLs of web seeds (BEP 19).
///
/// What is read of any bytes: at most `fileCountMax` files with at most `MetalinkFile.urlCountMax`
/// URLs each. No path leads out of its directory. Peers and trackers are not read.
package struct TorrentFile: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// Below the directory of the torrent.
    package var path: DocumentPath
    package var byteCount: Int64
    /// nil for an empty file, and for one that shares all its pieces with others.
    package var pieces: PieceHashes?
    /// The web seeds, in their order.
    package var urls: [TransferURL.Parsed]
  }

  /// The directory of the files; nil for a torrent of a single file.
  package let directory: DocumentPath?
  package let entries: [Entry]

  /// The media type that servers send with it.
  package static let mediaType = "application/x-bittorrent"
  /// How many bytes a torrent may have.
  package static let byteCountMax = 8 << 20
  package static let fileCountMax = 20_000
  package static let nameByteCountMax = 4096
  /// Whether a file with this name is a torrent.
  package static func isNamed(_ path: String) -> Bool { path.lowercased().hasSuffix(".torrent") }

  /// Whether bytes begin like a torrent.
  package static func isBegun(by bytes: some Collection<UInt8>) -> Bool {
    let head = bytes.prefix(5)
    guard head.first == UInt8(ascii: "d"), let colon = head.firstIndex(of: UInt8(ascii: ":"))
    else { return false }
    let digits = head[..<colon].dropFirst()
    return !digits.isEmpty && digits.allSatisfy { (48...57).contains($0) }
  }

  /// The files of a torrent; throws what is wrong with it.
  package static func read(_ bytes: [UInt8]) throws(TorrentProblem) -> TorrentFile {
    guard bytes.count <= byteCountMax else { throw .tooLarge }
    let root: BencodeValue
    do throws(BencodeProblem) { root = try BencodeReader.read(bytes) } catch {
      throw .encoding(error)
    }
    guard let info = root["info"], info.dictionary != nil else { throw .notTorrent }
    let reader = try TorrentReader(root, info)
    return try reader.read()
  }

  /// The files as sources of transfers, as a Metalink names them.
  ///
  /// Throws `noSeed` when a file has no URL: Kettle knows no peers.
  package func sources() throws(TorrentProblem) -> [MetalinkFile] {
    guard entries.allSatisfy({ !$0.urls.isEmpty }) else { throw .noSeed }
    return entries.map { entry in
      MetalinkFile(
        name: FileName(foreign: entry.path.name), urls: entry.urls, byteCount: entry.byteCount,
        checksum: nil, pieces: entry.pieces, path: entry.path)
    }
  }
}

/// The path of a file in a document: components that lead down from the directory of the document.
///
/// Invariant: no component is empty, leads up, or has a slash or a NUL, so the path of a document
/// never leads out of the directory that it is appended to.
package struct DocumentPath: Hashable, Sendable {
  package let components: [String]

  package static let depthMax = 64

  /// Returns nil when a component is not a name.
  package init?(_ components: [String]) {
    guard (1...Self.depthMax).contains(components.count),
      components.allSatisfy({ name in
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0)
          && !name.utf8.contains(UInt8(ascii: "/"))
      })
    else { return nil }
    self.components = components
  }

  /// Splits a path of text; `./` counts for nothing. Returns nil for an absolute path and for one
  /// that leads up.
  package init?(_ text: String) {
    guard !text.hasPrefix("/") else { return nil }
    self.init(text.split(separator: "/").map(String.init).filter { $0 != "." })
  }

  package var name: String { components.last ?? "" }
  package var text: String { components.joined(separator: "/") }
}

/// Reads the metainfo of a torrent.
struct TorrentReader {
  private struct Listed {
    var names: [ArraySlice<UInt8>]
    var byteCount: Int64
    /// Padding, or a symbolic link.
    var isLeftOut: Bool
    /// The root of the tree (BEP 52).
    var root: ArraySlice<UInt8>?
  }

  /// How the digests are given.
  private enum Form {
    /// One list over the bytes of all files (BEP 3).
    case joined(ArraySlice<UInt8>)
    /// A tree for each file (BEP 52).
    case tree
  }

  private let root: BencodeValue
  private let info: BencodeValue
  private let name: ArraySlice<UInt8>
  private let pieceByteCount: Int64
  private let seeds: [String]

  init(_ root: BencodeValue, _ info: BencodeValue) throws(TorrentProblem) {
    guard let name = info["name"]?.bytes, let length = info["piece length"]?.number else {
      throw .notTorrent
    }
    guard (1...PieceHashes.pieceByteCountMax).contains(length) else { throw .pieces }
    self.root = root
    self.info = info
    self.name = name
    pieceByteCount = length
    seeds = Self.seeds(root["url-list"])
  }

  func read() throws(TorrentProblem) -> TorrentFile {
    guard let directory = Self.path([name]) else { throw .path }
    // A torrent of both versions names the same files twice. The trees prove each one alone.
    if info["meta version"]?.number == 2, let tree = info["file tree"] {
      var files: [Listed] = []
      try collect(tree, below: [], into: &files)
      let isSingle = files.count == 1 && files.first?.names == [name]
      return try torrent(files, in: isSingle ? nil : directory, .tree)
    }
    guard let digests = info["pieces"]?.bytes else { throw .notTorrent }
    if let byteCount = info["length"]?.number {
      let file = Listed(names: [name], byteCount: byteCount, isLeftOut: false)
      return try torrent([file], in: nil, .joined(digests))
    }
    return try torrent(try listed(), in: directory, .joined(digests))
  }

  // MARK: Files

  /// The files of version 1 (BEP 3, "files").
  private func listed() throws(TorrentProblem) -> [Listed] {
    guard let list = info["files"]?.list else { throw .notTorrent }
    guard list.count <= TorrentFile.fileCountMax else { throw .tooManyFiles }
    var files: [Listed] = []
    for item in list {
      guard let byteCount = item["length"]?.number, let names = item["path"]?.list else {
        throw .notTorrent
      }
      let components = names.compactMap(\.bytes)
      guard components.count == names.count else { throw .path }
      files.append(
        Listed(names: components, byteCount: byteCount, isLeftOut: Self.isLeftOut(item)))
    }
    return files
  }

  /// The files of version 2 (BEP 52, "file tree").
  private func collect(
    _ tree: BencodeValue, below names: [ArraySlice<UInt8>], into files: inout [Listed]
  ) throws(TorrentProblem) {
    guard let entries = tree.dictionary else { throw .notTorrent }
    // In the order of their bytes, as in the torrent.
    for (name, entry) in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard let file = entry[""] else {
        try collect(entry, below: names + [name], into: &files)
        continue
      }
      guard let byteCount = file["length"]?.number else { throw .notTorrent }
      guard files.count < TorrentFile.fileCountMax else { throw .tooManyFiles }
      files.append(
        Listed(
          names: names + [name], byteCount: byteCount, isLeftOut: Self.isLeftOut(file),
          root: file["pieces root"]?.bytes))
    }
  }

  /// Whether a file is padding or a symbolic link, which is not downloaded (BEP 47).
  private static func isLeftOut(_ file: BencodeValue) -> Bool {
    file["attr"]?.bytes?.contains { $0 == UInt8(ascii: "p") || $0 == UInt8(ascii: "l") } ?? false
  }

  private func torrent(
    _ files: [Listed], in directory: DocumentPath?, _ form: Form
  ) throws(TorrentProblem) -> TorrentFile {
    let total = try byteCount(of: files)
    if case .joined(let digests) = form {
      let count = total / pieceByteCount + (total % pieceByteCount == 0 ? 0 : 1)
      let (known, rest) = Int64(digests.count).quotientAndRemainder(dividingBy: Self.sha1ByteCount)
      guard known == count, rest == 0 else { throw .pieces }
    }
    var entries: [TorrentFile.Entry] = []
    var offset: Int64 = 0
    for (index, file) in files.enumerated() {
      let lower = offset
      offset += file.byteCount
      guard !file.isLeftOut else { continue }
      guard let path = Self.path(file.names) else { throw .path }
      let pieces =
        switch form {
        case .tree: try treePieces(of: file)
        case .joined(let digests): joinedPieces(digests, of: files, index, at: lower)
        }
      entries.append(
        TorrentFile.Entry(
          path: path, byteCount: file.byteCount, pieces: pieces,
          urls: urls(below: directory == nil ? [] : file.names)))
    }
    guard !entries.isEmpty else { throw .empty }
    return TorrentFile(directory: directory, entries: entries)
  }

  private func byteCount(of files: [Listed]) throws(TorrentProblem) -> Int64 {
    var total: Int64 = 0
    for file in files {
      let (sum, overflows) = total.addingReportingOverflow(file.byteCount)
      guard file.byteCount >= 0, !overflows else { throw .pieces }
      total = sum
    }
    return total
  }

  private static func path(_ names: [ArraySlice<UInt8>]) -> DocumentPath? {
    guard names.reduce(0, { $0 + $1.count }) <= TorrentFile.nameByteCountMax else { return nil }
    return DocumentPath(names.map { String(decoding: $0, as: UTF8.self) })
  }

  // MARK: Pieces

  private static let sha1ByteCount: Int64 = 20

  /// The pieces of a file of version 1 that lie wholly inside it: others prove nothing about one
  /// file alone. Zeros behind the file, which padding stands for, are known bytes (BEP 47).
  private func joinedPieces(
    _ digests: ArraySlice<UInt8>, of files: [Listed], _ index: Int, at lower: Int64
  ) -> PieceHashes? {
    let byteCount = files[index].byteCount
    guard byteCount > 0 else { return nil }
    let upper = lower + byteCount
    let first = lower / pieceByteCount + (lower % pieceByteCount == 0 ? 0 : 1)
    var end = upper / pieceByteCount
    var zeroByteCount: Int64 = 0
    if upper % pieceByteCount != 0, let known = zeros(behind: index, of: files, from: upper) {
      end += 1
      zeroByteCount = known
    }
    let start = Int64(digests.startIndex) + first * Self.sha1ByteCount
    let stop = Int64(digests.startIndex) + end * Self.sha1ByteCount
    guard first < end, stop <= Int64(digests.endIndex) else { return nil }
    return PieceHashes(
      .digest(.sha1), pieceByteCount: pieceByteCount, of: byteCount,
      startingAt: first * pieceByteCount - lower, zeroByteCount: zeroByteCount,
      digests: Array(digests[Int(start)..<Int(stop)]))
  }

  /// How many zeros fill the piece in which a file ends, up to its end or that of the torrent; nil
  /// if bytes of another file follow.
  private func zeros(behind index: Int, of files: [Listed], from upper: Int64) -> Int64? {
    var missing = pieceByteCount - upper % pieceByteCount
    var zeroByteCount: Int64 = 0
    for file in files[(index + 1)...] where missing > 0 && file.byteCount > 0 {
      guard file.isLeftOut else { return nil }
      zeroByteCount += min(missing, file.byteCount)
      missing -= min(missing, file.byteCount)
    }
    return zeroByteCount
  }

  /// The pieces of a file of version 2: the layer of its tree, or the root of a small one.
  ///
  /// The root is not computed from the layer here. Both come from the same document, and each piece
  /// is compared with its own digest.
  private func treePieces(of file: Listed) throws(TorrentProblem) -> PieceHashes? {
    guard file.byteCount > 0 else { return nil }
    guard let tree = file.root else { throw .pieces }
    var digests = tree
    if file.byteCount > pieceByteCount {
      guard let layer = root["piece layers"]?.dictionary?[tree]?.bytes else { throw .pieces }
      digests = layer
    }
    let pieces = PieceHashes(
      .merkle, pieceByteCount: pieceByteCount, of: file.byteCount, digests: Array(digests))
    guard let pieces else { throw .pieces }
    return pieces
  }

  // MARK: Web seeds

  private static func seeds(_ list: BencodeValue?) -> [String] {
    let texts = list?.list?.compactMap(\.bytes) ?? list?.bytes.map { [$0] } ?? []
    return texts.filter { !$0.isEmpty && $0.count <= TransferURL.byteCountMax }
      .prefix(MetalinkFile.urlCountMax).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The URLs of a file (BEP 19): a seed of a single file that ends with a slash is its directory,
  /// and a seed of several files is the directory above theirs.
  ///
  /// - Parameter names: the path below the directory of the torrent; empty for a single file.
  private func urls(below names: [ArraySlice<UInt8>]) -> [TransferURL.Parsed] {
    let path = ([name] + names).map { Self.encoded($0) }.joined(separator: "/")
    return seeds.compactMap { seed in
      let text =
        if seed.hasSuffix("/") { seed + path } else if names.isEmpty { seed } else {
          seed + "/" + path
        }
      // As in a Metalink, the user's SSH keys are not used for what others have named.
      guard case .success(let parsed) = TransferURL.parse(text), parsed.url.scheme != .sftp else {
        return nil
      }
      return parsed
    }
  }

  /// Escapes everything but unreserved characters (RFC 3986, section 2.3).
  private static func encoded(_ name: ArraySlice<UInt8>) -> String {
    let bytes = name.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        [byte]
      default: PercentEncoding.escape(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why a torrent cannot be used.
package enum TorrentProblem: Error, Hashable, Sendable {
  case tooLarge
  case encoding(BencodeProblem)
  case notTorrent
  case tooManyFiles
  case empty
  /// A path that leads out of the directory, or is no path.
  case path
  /// The digests of its pieces do not fit its files.
  case pieces
  /// It names no web server (BEP 19), and Kettle knows no peers.
  case noSeed

  /// For the detail of a failure.
  package var words: String {
    switch self {
    case .tooLarge: "it is longer than \(TorrentFile.byteCountMax) bytes"
    case .encoding(.malformed(let offset)): "its encoding is not valid at byte \(offset)"
    case .encoding(.tooDeep): "its values are nested too deeply"
    case .encoding(.tooManyValues): "it has more than \(BencodeReader.valueCountMax) values"
    case .notTorrent: "it is not a torrent"
    case .tooManyFiles: "it has more than \(TorrentFile.fileCountMax) files"
    case .empty: "it describes no file"
    case .path: "it names a file outside its directory"
    case .pieces: "its pieces do not fit its files"
    case .noSeed: "it names no web server, and Kettle has no peers"
    }
  }
}
