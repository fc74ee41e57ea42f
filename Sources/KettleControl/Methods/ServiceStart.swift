/// How the service was started, which decides when it ends.
package enum ServiceStart: Hashable, Sendable {
  /// By a command, the dashboard or a program.
  case byCommand
  /// As a unit of the user's service manager, which ends at the last logout unless the user
  /// lingers.
  case bySystemd(lingers: Bool)
}

extension ServiceStart: Codable {
  private enum CodingKeys: String, CodingKey { case systemd, lingers }

  /// `{"systemd":false}`, or `{"systemd":true,"lingers":…}`.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard try container.decode(Bool.self, forKey: .systemd) else {
      self = .byCommand
      return
    }
    self = .bySystemd(lingers: try container.decode(Bool.self, forKey: .lingers))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .byCommand: try container.encode(false, forKey: .systemd)
    case .bySystemd(let lingers):
      try container.encode(true, forKey: .systemd)
      try container.encode(lingers, forKey: .lingers)
    }
  }
}
