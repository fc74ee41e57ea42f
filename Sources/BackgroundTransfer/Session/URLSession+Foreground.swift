// Apple's class has sessions of other kinds, too. Where a program uses one, the compiler says what
// to write instead, and not that there is no such thing.

extension URLSession {
  /// Sessions whose transfers end with the program are those of FoundationNetworking.
  @available(*, unavailable, message: "Use FoundationNetworking.URLSession.shared in another file")
  public static var shared: URLSession {
    URLSession(configuration: .background(withIdentifier: ""))
  }
}

extension URLSessionConfiguration {
  /// Sessions whose transfers end with the program are those of FoundationNetworking.
  @available(*, unavailable, message: "Use background(withIdentifier:), the one kind that is here")
  public static var `default`: URLSessionConfiguration { background(withIdentifier: "") }

  /// Sessions whose transfers end with the program are those of FoundationNetworking.
  @available(*, unavailable, message: "Use background(withIdentifier:), the one kind that is here")
  public static var ephemeral: URLSessionConfiguration { background(withIdentifier: "") }
}
