/// An action that can be undone, as clients see it.
public struct BinSnapshot: Hashable, Sendable, Codable, Identifiable {
  public var number: Int64
  public var kind: BinAction.Kind
  public var at: WallTime
  /// When the bytes are deleted.
  public var expiresAt: WallTime
  public var transferCount: Int
  /// How many bytes undo brings back.
  public var byteCount: Int64
  /// The title of the first transfer; nil when the action only cleared the view.
  public var title: String?

  public init(
    _ action: BinAction, transferCount: Int = 0, byteCount: Int64 = 0, title: String? = nil
  ) {
    number = action.number
    kind = action.kind
    at = action.at
    expiresAt = action.expiresAt
    self.transferCount = transferCount
    self.byteCount = byteCount
    self.title = title
  }

  public var id: Int64 { number }
}
