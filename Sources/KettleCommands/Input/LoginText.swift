import KettleModel

/// The value of `--user`: `name:password`, or the name alone.
enum LoginText: Hashable, Sendable {
  case complete(Login)
  /// The password must be asked for.
  case withoutPassword(user: String)
  case empty

  init(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else {
      self = .empty
      return
    }
    self =
      parts.count == 2
      ? .complete(Login(user: String(name), password: String(parts[1])))
      : .withoutPassword(user: String(name))
  }

  /// Returns the login, with the password asked for where it is missing.
  func login(asking console: any Console) throws -> Login {
    switch self {
    case .complete(let login): login
    case .withoutPassword(let user):
      Login(user: user, password: try Self.password(of: user, console))
    case .empty: throw UsageError(.value(.userEmpty))
    }
  }

  static func password(of user: String, _ console: any Console) throws -> String {
    do {
      return try console.promptForSecret("Password for \(user.sanitizedForDisplay(limit: 60)): ")
    } catch {
      guard error == .noTerminal else { throw error }
      throw UsageError(.command(.passwordNeedsTerminal(user: user)))
    }
  }
}
