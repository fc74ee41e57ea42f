/// A user name and password. They are sent only to the origin of the URL they were given for.
public struct Login: Hashable, Sendable, Codable {
  public var user: String
  public var password: String

  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

extension Login: CustomStringConvertible {
  /// Omits the password, because this text may be logged.
  public var description: String { "Login(user: \(user), password: hidden)" }
}
