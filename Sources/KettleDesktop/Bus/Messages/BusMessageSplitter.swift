/// Splits the bytes from the bus into messages.
package struct BusMessageSplitter {
  private var bytes: ArraySlice<UInt8> = []

  package init() {}

  package mutating func append(_ more: some Collection<UInt8>) {
    // The bytes already read are freed with the old array.
    bytes = ArraySlice(Array(bytes) + more)
  }

  /// Returns the next complete message, or nil until more has arrived. After a fault no later
  /// message can be found.
  package mutating func next() throws(BusFault) -> BusMessage? {
    guard let byteCount = try BusMessageStart(bytes)?.messageByteCount, byteCount <= bytes.count
    else { return nil }
    let message = bytes.prefix(byteCount)
    bytes = bytes.dropFirst(byteCount)
    return try BusMessage(bytes: message)
  }
}
