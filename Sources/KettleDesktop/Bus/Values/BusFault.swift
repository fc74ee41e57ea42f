/// What is wrong with received bytes or with values to encode.
package enum BusFault: Error, Hashable, Sendable {
  /// It ends too early.
  case cutOff
  /// It breaks a rule of the specification.
  case malformed
  /// It is longer or nests deeper than allowed here.
  case tooLarge
}

/// The byte order of numbers; the first byte of a message declares it.
package enum BusByteOrder: UInt8, Hashable, Sendable, CaseIterable {
  case little = 0x6C
  case big = 0x42
}

/// Limits for both directions.
enum BusLimits {
  /// The specification allows 128 MiB; no reply that we request comes near this limit.
  static let messageByteCountMax = 1 << 20
  /// Nested containers, variants included.
  static let depthMax = 64
}
