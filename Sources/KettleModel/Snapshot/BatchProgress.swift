/// The progress of all unfinished transfers taken together, plus those that finished since the
/// service was last idle.
public struct BatchProgress: Hashable, Sendable, Codable {
  public var transferCount: Int
  public var finishedCount: Int
  /// Counts only transfers of known size, like `bytesExpected`.
  public var bytesReceived: Int64
  public var bytesExpected: Int64
  /// Transfers of unknown size, which the byte counts omit.
  public var unknownSizeCount: Int
  /// nil if unknown.
  public var secondsLeft: Int64?

  public init(
    transferCount: Int, finishedCount: Int, bytesReceived: Int64, bytesExpected: Int64,
    unknownSizeCount: Int, secondsLeft: Int64?
  ) {
    self.transferCount = transferCount
    self.finishedCount = finishedCount
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
    self.unknownSizeCount = unknownSizeCount
    self.secondsLeft = secondsLeft
  }
}
