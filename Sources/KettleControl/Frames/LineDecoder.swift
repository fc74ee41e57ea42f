/// Splits a stream of bytes into lines and refuses an overlong line before buffering it.
///
/// Each byte is examined once, however the stream is split.
package struct LineDecoder: Sendable {
  /// The maximum length of a client's line, without its line feed.
  package static let byteCountMaxFromClient = 16 * 1024 * 1024
  /// The maximum length of a service's line; a full window of rows fits in many times.
  package static let byteCountMaxFromService = 64 * 1024 * 1024

  /// A line exceeded the maximum. The start of the next line is unknown, so the stream cannot be
  /// read further.
  package struct Overlong: Error, Hashable, Sendable {
    package let byteCountMax: Int

    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }
  }

  private let byteCountMax: Int
  private var partial: [UInt8] = []

  package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

  /// Whether an incomplete line is buffered.
  package var hasPartialLine: Bool { !partial.isEmpty }

  /// Consumes the next bytes and appends the completed lines to `lines`, without their line feeds.
  /// Omits empty lines.
  package mutating func decode(
    _ bytes: Span<UInt8>, into lines: inout [[UInt8]]
  ) throws(Overlong) {
    var start = 0
    for index in bytes.indices where bytes[index] == Self.lineFeed {
      try keep(bytes.extracting(start..<index))
      start = index + 1
      guard !partial.isEmpty else { continue }
      lines.append(partial)
      partial = []
    }
    try keep(bytes.extracting(start..<bytes.count))
  }

  private mutating func keep(_ bytes: Span<UInt8>) throws(Overlong) {
    guard bytes.count <= byteCountMax - partial.count else {
      partial = []
      throw Overlong(byteCountMax: byteCountMax)
    }
    bytes.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
  }

  private static let lineFeed = UInt8(ascii: "\n")
}
