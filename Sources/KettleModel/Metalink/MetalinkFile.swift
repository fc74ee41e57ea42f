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
