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
