/// A file that a Metalink describes (RFC 5854).
///
/// What is read of any bytes: at most `fileCountMax` files, each with at least one URL and at most
/// `urlCountMax` of them, none of them for SSH. A name is foreign (`FileName`), and a size is not
/// negative. Nesting, attributes and entities are bounded by `XMLReader`, and the time to read
/// grows with the size alone.
package struct MetalinkFile: Hashable, Sendable {
  /// The last component of the given name; nil if nothing of it is left.
  package var name: FileName?
  /// The URLs, the best one first.
  package var urls: [TransferURL.Parsed]
  package var byteCount: Int64?
  /// The strongest digest of the whole file.
  package var checksum: Checksum?
  /// The digests of its pieces.
  package var pieces: PieceHashes?
  /// The given name with its directories; nil if it leads out of the directory of the Metalink.
  package var path: DocumentPath?

  /// The media type that servers send with it (RFC 5854, section 7.1).
  package static let mediaType = "application/metalink4+xml"
  /// How many bytes a Metalink may have.
  package static let byteCountMax = 4 << 20
  package static let fileCountMax = 10_000
  /// A URL, and as many mirrors as a transfer may have.
  package static let urlCountMax = TransferOptions.mirrorCountMax + 1

  /// The files of a Metalink; throws what is wrong with it.
  package static func read(_ bytes: [UInt8]) throws(MetalinkProblem) -> [MetalinkFile] {
    guard bytes.count <= byteCountMax else { throw .tooLarge }
    var reader = MetalinkReader(bytes)
    return try reader.read()
  }

  /// Whether a file with this name is a Metalink.
  package static func isNamed(_ path: String) -> Bool {
    let lowered = path.lowercased()
    return lowered.hasSuffix(".meta4") || lowered.hasSuffix(".metalink")
  }

  /// Sets what the transfer of this file has from nowhere else. The user's choices stay.
  ///
  /// - Parameter reach: that of the farthest server of the chain that led to the Metalink;
  ///   `machine` for a file of the user.
  package func complete(_ spec: inout TransferSpec, namedBy reach: NetworkReach) {
    spec.name = spec.name ?? name
    spec.checksum = spec.checksum ?? checksum
    let known = [spec.url] + spec.options.mirrors
    let copies = urls.map(\.url).filter { !known.contains($0) }
      .prefix(max(0, TransferOptions.mirrorCountMax - spec.options.mirrors.count))
    var described = DescribedFile(
      copies: copies.map { ChainedURL($0, namedBy: reach) },
      byteCount: byteCount ?? spec.options.described?.byteCount,
      pieces: pieces.map { .given($0) } ?? spec.options.described?.pieces)
    // Pieces of another size are those of another file.
    if described.pieces?.outline.byteCount != described.byteCount { described.pieces = nil }
    let isEmpty =
      described.copies.isEmpty && described.byteCount == nil && described.pieces == nil
    spec.options.described = isEmpty ? nil : described
  }
}

/// Reads the files of a Metalink (RFC 5854, section 4).
struct MetalinkReader {
  private static let namespace = "urn:ietf:params:xml:ns:metalink"
  private static let namespaceOfVersion3 = "http://www.metalinker.org/"
  /// The place of URLs without a priority (RFC 5854, section 4.2.16.2).
  private static let priorityMax = 999_999

  private struct File {
    var name: String
    var urls: [(url: TransferURL.Parsed, priority: Int)] = []
    var byteCount: Int64?
    var checksum: Checksum?
    /// The lists of pieces, each with its own digests.
    var pieces: [Pieces] = []
  }

  /// The digests of pieces (RFC 5854, section 4.1.3).
  private struct Pieces {
    var algorithm: Checksum.Algorithm
    var pieceByteCount: Int64
    var digests: [UInt8] = []
    /// Whether each digest was one of the algorithm.
    var isValid = true
  }

  private let bytes: [UInt8]
  private var files: [MetalinkFile] = []
  private var file: File?
  /// The names of the open elements; empty for those of other namespaces.
  private var path: [String] = []
  private var attributes: [String: String] = [:]
  private var text = ""

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() throws(MetalinkProblem) -> [MetalinkFile] {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notText }
    var reader = XMLReader(bytes)
    while let event = try Self.next(&reader) {
      switch event {
      case .start(let element): try start(element)
      case .text(let piece): text += piece
      case .end: try end()
      }
    }
    guard !files.isEmpty else { throw .empty }
    return files
  }

  private static func next(
    _ reader: inout XMLReader
  ) throws(MetalinkProblem) -> XMLReader.Event? {
    do throws(XMLProblem) { return try reader.next() } catch { throw .xml(error) }
  }

  private mutating func start(_ element: XMLReader.Element) throws(MetalinkProblem) {
    if path.isEmpty {
      if element.namespace == Self.namespaceOfVersion3 { throw .oldVersion }
      guard element.namespace == Self.namespace, element.name == "metalink" else {
        throw .notMetalink
      }
    }
    path.append(element.namespace == Self.namespace ? element.name : "")
    attributes = element.attributes
    text = ""
    if path == ["metalink", "file", "pieces"] { beginPieces() }
    if path == ["metalink", "file"] {
      guard files.count < MetalinkFile.fileCountMax else { throw .tooManyFiles }
      file = File(name: element.attributes["name"] ?? "")
    }
  }

  private mutating func end() throws(MetalinkProblem) {
    let ended = path
    path.removeLast()
    let content = text.trimmingBlanks()
    text = ""
    switch ended {
    case ["metalink", "file"]: try endFile()
    case ["metalink", "file", "url"]: addURL(content)
    case ["metalink", "file", "size"]:
      file?.byteCount = Int64(content).flatMap { $0 < 0 ? nil : $0 }
    case ["metalink", "file", "hash"]: addHash(content)
    case ["metalink", "file", "pieces", "hash"]: addPiece(content)
    default: break
    }
    attributes = [:]
  }

  private mutating func addURL(_ content: String) {
    // Others, such as those of BitTorrent, are of no use here. A Metalink is often from a server,
    // which must not use the user's SSH keys.
    guard case .success(let parsed) = TransferURL.parse(content), parsed.url.scheme != .sftp else {
      return
    }
    let given = attributes["priority"].flatMap { Int($0) } ?? Self.priorityMax
    let priority = (1...Self.priorityMax).contains(given) ? given : Self.priorityMax
    file?.urls.append((parsed, priority))
  }

  private mutating func addHash(_ content: String) {
    guard let algorithm = Self.algorithm(attributes["type"]),
      let found = Checksum(algorithm: algorithm, hex: content),
      found.algorithm.hexDigitCount > file?.checksum?.algorithm.hexDigitCount ?? 0
    else { return }
    file?.checksum = found
  }

  /// The names of the algorithms are those of IANA's registry of hash functions.
  private static func algorithm(_ type: String?) -> Checksum.Algorithm? {
    switch type?.lowercased() {
    case "md5": .md5
    case "sha-1": .sha1
    case "sha-224": .sha224
    case "sha-256": .sha256
    case "sha-384": .sha384
    case "sha-512": .sha512
    default: nil
    }
  }

  /// Begins a list of pieces. One that cannot be read counts as empty and is not used.
  private mutating func beginPieces() {
    let algorithm = Self.algorithm(attributes["type"])
    let length = attributes["length"].flatMap { DecimalDigits.int64($0[...]) }
    var pieces = Pieces(algorithm: algorithm ?? .sha1, pieceByteCount: length ?? 0)
    pieces.isValid = algorithm != nil
    file?.pieces.append(pieces)
  }

  private mutating func addPiece(_ content: String) {
    guard var file, var pieces = file.pieces.popLast() else { return }
    // A copy of the bytes for each digest would take time that grows with the square of the list.
    self.file = nil
    if let bytes = Checksum(algorithm: pieces.algorithm, hex: content)?.bytes {
      pieces.digests += bytes
    } else {
      pieces.isValid = false
    }
    file.pieces.append(pieces)
    self.file = file
  }

  /// The strongest list that fits the size; nil if none does, and without a size.
  private static func pieces(of file: File) -> PieceHashes? {
    guard let byteCount = file.byteCount else { return nil }
    let usable = file.pieces.filter(\.isValid).sorted {
      $0.algorithm.hexDigitCount > $1.algorithm.hexDigitCount
    }
    return usable.lazy.compactMap { list -> PieceHashes? in
      let pieces = PieceHashes(
        .digest(list.algorithm), pieceByteCount: list.pieceByteCount, of: byteCount,
        digests: list.digests)
      return pieces?.coversAll == true ? pieces : nil
    }.first
  }

  private mutating func endFile() throws(MetalinkProblem) {
    guard let file else { return }
    let order = file.urls.indices.sorted {
      (file.urls[$0].priority, $0) < (file.urls[$1].priority, $1)
    }
    let urls = order.prefix(MetalinkFile.urlCountMax).map { file.urls[$0].url }
    guard !urls.isEmpty else { throw .noURL(file.name) }
    files.append(
      MetalinkFile(
        name: FileName(foreign: file.name), urls: urls, byteCount: file.byteCount,
        checksum: file.checksum, pieces: Self.pieces(of: file),
        path: DocumentPath(file.name)))
    self.file = nil
  }
}

/// Why a Metalink cannot be used.
package enum MetalinkProblem: Error, Hashable, Sendable {
  case tooLarge
  case notText
  case xml(XMLProblem)
  case tooManyFiles
  /// Version 3 has another namespace and other elements.
  case oldVersion
  case notMetalink
  case empty
  /// No URL for the file that can be used.
  case noURL(String)

  /// For the detail of a failure.
  package var words: String {
    switch self {
    case .tooLarge: "it is longer than \(MetalinkFile.byteCountMax) bytes"
    case .notText: "it is not UTF-8 text"
    case .xml(.malformed(let line)): "line \(line) is not valid XML"
    case .xml(.documentType): "it has a document type"
    case .xml(.tooDeep): "its elements are nested too deeply"
    case .tooManyFiles: "it has more than \(MetalinkFile.fileCountMax) files"
    case .oldVersion: "it has version 3"
    case .notMetalink: "it is not a Metalink"
    case .empty: "it describes no file"
    case .noURL(let file): "it has no URL for \"\(file)\" that can be used"
    }
  }
}

/// What a document says about a file besides its name, its digest and the URL that is asked first.
public struct DescribedFile: Hashable, Sendable, Codable {
  /// Other URLs of the file, the best ones first.
  public var copies: [ChainedURL]
  /// The size of the file, which binds every source; nil if the document does not say it.
  public var byteCount: Int64?
  /// The digests of the pieces of the file, with which its bytes are compared as they arrive.
  public var pieces: DescribedPieces?

  public init(copies: [ChainedURL], byteCount: Int64? = nil, pieces: DescribedPieces? = nil) {
    self.copies = copies
    self.byteCount = byteCount
    self.pieces = pieces
  }
}

/// The digests of the pieces of a file that is fetched, or the word of the store that it has them.
///
/// They are as long as many records, so the store keeps them apart from these. They are read when
/// the file is opened.
public enum DescribedPieces: Hashable, Sendable {
  case given(PieceHashes)
  case stored(Outline)

  /// What decisions need to know of them.
  public struct Outline: Hashable, Sendable, Codable {
    public var byteCount: Int64
    /// Whether every byte of the file has a digest.
    public var coversAll: Bool
    /// The algorithm of the digests.
    public var algorithm: Checksum.Algorithm
  }

  public var outline: Outline {
    switch self {
    case .stored(let outline): return outline
    case .given(let pieces):
      let algorithm: Checksum.Algorithm =
        switch pieces.form {
        case .digest(let algorithm): algorithm
        case .merkle: .sha256
        }
      return Outline(
        byteCount: pieces.byteCount, coversAll: pieces.coversAll, algorithm: algorithm)
    }
  }

  /// nil when the store has them.
  package var given: PieceHashes? {
    switch self {
    case .given(let pieces): pieces
    case .stored: nil
    }
  }
}

extension DescribedPieces: Codable {
  private enum CodingKeys: String, CodingKey { case stored }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let outline = try container.decodeIfPresent(Outline.self, forKey: .stored) {
      self = .stored(outline)
    } else {
      self = .given(try PieceHashes(from: decoder))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .given(let pieces): try pieces.encode(to: encoder)
    case .stored(let outline):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(outline, forKey: .stored)
    }
  }
}
