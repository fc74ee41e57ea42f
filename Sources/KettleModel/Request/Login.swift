/// A user name and password; they go to the exact origin of the URL they were given with.
public struct Login: Hashable, Sendable, Codable {
  public var user: String
  public var password: String

  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

extension Login: CustomStringConvertible {
  /// Never the password: this text ends up in logs.
  public var description: String { "Login(user: \(user), password: hidden)" }
}
