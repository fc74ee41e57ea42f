/// A file that a Metalink describes (RFC 5854).
package struct MetalinkFile: Hashable, Sendable {
  /// One path component; nil if the given name is unusable.
  package var name: String?
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

  /// The settings of a transfer of this file that has them from nowhere else.
  package func complete(_ spec: inout TransferSpec) {
    spec.name = spec.name ?? name
    spec.checksum = spec.checksum ?? checksum
    for url in urls.map(\.url)
    where url != spec.url && spec.options.mirrors.count < TransferOptions.mirrorCountMax {
      spec.options.mirrors.append(url)
    }
  }
}

/// Why a Metalink cannot be used.
package enum MetalinkProblem: Error, Hashable, Sendable {
  case tooLarge
  case notText
  case notXML(line: Int)
  /// A document type could define entities of any size.
  case documentType
  case tooDeep
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
    case .notXML(let line): "line \(line) is not valid XML"
    case .documentType: "it has a document type"
    case .tooDeep: "its elements are nested too deeply"
    case .tooManyFiles: "it has more than \(MetalinkFile.fileCountMax) files"
    case .oldVersion: "it has version 3"
    case .notMetalink: "it is not a Metalink"
    case .empty: "it describes no file"
    case .noURL(let file): "it has no URL for \"\(file)\" that can be used"
    }
  }
}
