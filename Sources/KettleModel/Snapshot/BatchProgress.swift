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
  /// When all transfers that continue by themselves are expected to be complete, except those
  /// counted in `unpredictableCount`; nil if unknown.
  public var readyAt: WallTime?
  /// The transfers that are to continue at a time that cannot be predicted: their size is unknown,
  /// or they wait for a host, the network or the user. nil if no estimate was made.
  public var unpredictableCount: Int?

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
