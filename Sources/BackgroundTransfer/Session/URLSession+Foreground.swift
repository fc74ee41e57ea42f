// Apple's class has other kinds of sessions too. Where a program uses one, the compiler says what
// to write instead of reporting that the member does not exist.

extension URLSession {
  /// For transfers that end with the program, use the sessions of FoundationNetworking.
  @available(*, unavailable, message: "Use FoundationNetworking.URLSession.shared in another file")
  public static var shared: URLSession {
    URLSession(configuration: .background(withIdentifier: ""))
  }
}

extension URLSessionConfiguration {
  /// For transfers that end with the program, use the sessions of FoundationNetworking.
  @available(*, unavailable, message: "Use background(withIdentifier:), the one kind that is here")
  public static var `default`: URLSessionConfiguration { background(withIdentifier: "") }

  /// For transfers that end with the program, use the sessions of FoundationNetworking.
  @available(*, unavailable, message: "Use background(withIdentifier:), the one kind that is here")
  public static var ephemeral: URLSessionConfiguration { background(withIdentifier: "") }
}
