/// Cuts what comes from the bus into messages.
package struct BusMessageCutter {
  private var bytes: ArraySlice<UInt8> = []

  package init() {}

  package mutating func take(_ more: some Collection<UInt8>) {
    // What was read already goes with the old array.
    bytes = ArraySlice(Array(bytes) + more)
  }

  /// The next whole message; nil until more has come. After a fault nothing that follows can be
  /// found.
  package mutating func next() throws(BusFault) -> BusMessage? {
    guard let byteCount = try BusMessageStart(bytes)?.messageByteCount, byteCount <= bytes.count
    else { return nil }
    let message = bytes.prefix(byteCount)
    bytes = bytes.dropFirst(byteCount)
    return try BusMessage(bytes: message)
  }
}
