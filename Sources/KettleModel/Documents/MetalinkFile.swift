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
    let described = DescribedFile(
      copies: copies.map { ChainedURL($0, namedBy: reach) },
      byteCount: byteCount ?? spec.options.described?.byteCount)
    let isEmpty = described.copies.isEmpty && described.byteCount == nil
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

  /// The names of the algorithms are those of IANA's registry of hash functions.
  private mutating func addHash(_ content: String) {
    let algorithm: Checksum.Algorithm
    switch attributes["type"]?.lowercased() {
    case "md5": algorithm = .md5
    case "sha-1": algorithm = .sha1
    case "sha-224": algorithm = .sha224
    case "sha-256": algorithm = .sha256
    case "sha-384": algorithm = .sha384
    case "sha-512": algorithm = .sha512
    default: return
    }
    guard let found = Checksum(algorithm: algorithm, hex: content),
      found.algorithm.hexDigitCount > file?.checksum?.algorithm.hexDigitCount ?? 0
    else { return }
    file?.checksum = found
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
        checksum: file.checksum))
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

  public init(copies: [ChainedURL], byteCount: Int64? = nil) {
    self.copies = copies
    self.byteCount = byteCount
  }
}
