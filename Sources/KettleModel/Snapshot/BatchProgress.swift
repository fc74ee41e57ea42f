/// Everything under way as one piece of work: what runs, is queued or waits, and what has finished
/// since the service last had nothing under way.
public struct BatchProgress: Hashable, Sendable, Codable {
  public var transferCount: Int
  public var finishedCount: Int
  /// Of those whose size is known.
  public var bytesReceived: Int64
  public var bytesExpected: Int64
  /// Transfers of unknown size, which are in no byte count.
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
