/// What a client of aria2's RPC gave with a transfer, apart from what Kettle uses.
public struct RPCOptions: Hashable, Sendable {
  /// The GID that the client chose, as 16 digits; nil if it chose none.
  public var gid: String?
  /// Options that mean nothing to Kettle. The client is told them when it asks.
  public var echoed: [String: String]

  public static let echoedCountMax = 128
  public static let echoedByteCountMax = 16 << 10

  public init(gid: String? = nil, echoed: [String: String] = [:]) {
    self.gid = gid
    self.echoed = echoed
  }
}

extension RPCOptions: Codable {
  private enum CodingKeys: String, CodingKey { case gid, echoed }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    gid = try container.decodeIfPresent(String.self, forKey: .gid)
    echoed = try container.decodeIfPresent([String: String].self, forKey: .echoed) ?? [:]
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(gid, forKey: .gid)
    if !echoed.isEmpty { try container.encode(echoed, forKey: .echoed) }
  }
}
