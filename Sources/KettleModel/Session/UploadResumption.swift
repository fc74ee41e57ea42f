/// Where an interrupted upload continues: the upload resource that the server has announced in a
/// 104 response (draft-ietf-httpbis-resumable-upload-05).
public struct UploadResumption: Hashable, Sendable, Codable {
  /// The upload resource, which tells how many bytes it has and takes the others.
  public var url: TransferURL
  /// The reach that an address of its host must have at least (`NetworkReach`): a server cannot
  /// name an address that it could not redirect to.
  public var minimumReach: NetworkReach
  /// The modification time of the file when it was sent, since 1970. With another one it is another
  /// file.
  public var modifiedNanoseconds: Int64
  /// How many bytes the server had when it was last asked.
  public var confirmedByteCount: Int64 = 0

  public init(url: TransferURL, minimumReach: NetworkReach, modifiedNanoseconds: Int64) {
    self.url = url
    self.minimumReach = minimumReach
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

/// The informational responses (1xx) to the requests of a task, without 100 and 101, which concern
/// only the connection.
public struct InformationalReplies: Hashable, Sendable, Codable {
  /// How many there were.
  public private(set) var count = 0
  /// The last ones, at most `latestCountMax`, in the order in which they arrived.
  public private(set) var latest: [ServerReply] = []

  public static let latestCountMax = 8

  public init() {}

  public mutating func record(_ reply: ServerReply) {
    count &+= 1
    latest = latest.suffix(Self.latestCountMax - 1) + [reply]
  }

  /// The replies after the first `seenCount`, as far as they are kept.
  ///
  /// - Parameter seenCount: not negative.
  public func after(_ seenCount: Int) -> ArraySlice<ServerReply> {
    count > seenCount ? latest.suffix(count - seenCount) : []
  }
}
