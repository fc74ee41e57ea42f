/// Cuts a stream of bytes into lines and refuses a line that is too long before keeping it.
///
/// Each byte is looked at once, however the stream is cut into pieces.
package struct LineDecoder: Sendable {
  /// The most that one line of a client may have, its line feed not counted.
  package static let byteCountMaxFromClient = 4 * 1024 * 1024
  /// The most that one line of the service may have; a full window of rows fits in many times.
  package static let byteCountMaxFromService = 64 * 1024 * 1024

  /// A line went over the maximum. Where the next one begins is not known any more, so the
  /// stream cannot be read on.
  package struct Overlong: Error, Hashable, Sendable {
    package let byteCountMax: Int

    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }
  }

  private let byteCountMax: Int
  private var partial: [UInt8] = []

  package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

  /// The beginning of a line is there and its end is not.
  package var holdsPartialLine: Bool { !partial.isEmpty }

  /// Takes the next bytes and appends the lines that they complete to `lines`, without their line
  /// feeds. Empty lines are left out.
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
