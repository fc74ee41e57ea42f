/// One connection of a running transfer, and the part of the file that it brings.
package struct ConnectionDetails: Codable, Hashable, Sendable {
  /// Where its part begins; nil while the server has not answered.
  package var lower: Int64?
  /// Not included; nil while the size is unknown.
  package var upper: Int64?
  /// Up to where its bytes have come.
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
