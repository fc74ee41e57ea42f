/// One connection of a running transfer, and the byte range that it fetches.
package struct ConnectionDetails: Codable, Hashable, Sendable {
  /// The start of its range; nil until the server responds.
  package var lower: Int64?
  /// The end of its range, exclusive; nil while the size is unknown.
  package var upper: Int64?
  /// The end of the received bytes.
  package var receivedUpTo: Int64
  package var bytesPerSecond: Int64
  package var url: String

  package init(
    lower: Int64?, upper: Int64?, receivedUpTo: Int64, bytesPerSecond: Int64, url: String
  ) {
    self.lower = lower
    self.upper = upper
    self.receivedUpTo = receivedUpTo
    self.bytesPerSecond = bytesPerSecond
    self.url = url
  }
}
