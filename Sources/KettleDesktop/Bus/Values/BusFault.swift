/// What is wrong with bytes, or with values that are to become bytes.
package enum BusFault: Error, Hashable, Sendable {
  /// It ends too early.
  case cutOff
  /// It breaks a rule of the specification.
  case malformed
  /// It is longer, or nests deeper, than is taken here.
  case tooLarge
}

/// In which order the bytes of a number stand; the first byte of a message tells.
package enum BusByteOrder: UInt8, Hashable, Sendable, CaseIterable {
  case little = 0x6C
  case big = 0x42
}

/// Bounds that both directions have.
enum BusLimits {
  /// The specification allows 128 MiB; no answer that we ask for comes near this.
  static let messageByteCountMax = 1 << 20
  /// Containers in one another, variants included.
  static let depthMax = 64
}
