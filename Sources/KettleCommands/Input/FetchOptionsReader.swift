import KettleModel

/// Reads and checks `FetchOptions`.
struct FetchOptionsReader {
  private(set) var options = TransferOptions()
  /// The user's cookies for all hosts; each transfer gets those of its own.
  private(set) var cookies: [Cookie] = []
  private(set) var problems: [UsageProblem] = []
  private let context: CommandContext

  init(_ fetch: FetchOptions, in context: CommandContext) {
    self.context = context
    readTimes(fetch)
    readProxy(fetch)
    readCookies(fetch)
    readCertificate(fetch)
    readVariant(fetch)
    options.isAsIs = fetch.asIs
    options.usesNetrc = fetch.netrc
    options.keepsServerTime = fetch.remoteTime
    let permissions = FilePermissions(mask: context.fileMask)
    // The usual ones need not be recorded for each transfer.
    if permissions != .usual, context.host == nil { options.permissions = permissions }
  }

  private mutating func readTimes(_ fetch: FetchOptions) {
    options.silenceSeconds = seconds(fetch.timeout, of: "--timeout")
    options.connectSeconds = seconds(fetch.connectTimeout, of: "--connect-timeout")
    options.retryDelaySeconds = seconds(fetch.retryDelay, of: "--retry-delay")
    guard let tries = fetch.tries else { return }
    if (0...TransferOptions.attemptsCountMax).contains(tries) {
      options.attemptsMax = tries
    } else {
      problems.append(.value(.tries(tries)))
    }
  }

  private mutating func seconds(_ seconds: Int?, of option: String) -> Int? {
    guard let seconds else { return nil }
    if (1...TransferOptions.secondsMax).contains(seconds) { return seconds }
    problems.append(.value(.wholeSeconds(option: option, seconds)))
    return nil
  }

  /// Without the option the environment of this command decides; on another machine, that of its
  /// service.
  private mutating func readProxy(_ fetch: FetchOptions) {
    switch fetch.proxy {
    case nil:
      if context.host == nil { options.proxy = .environment(ProxyEnvironment(context.environment)) }
    case "none", "": options.proxy = .direct
    case .some(let text):
      if ProxyServer(text) != nil {
        options.proxy = .server(text)
      } else {
        problems.append(.value(.proxy(text)))
      }
    }
  }

  private mutating func readCookies(_ fetch: FetchOptions) {
    guard let path = fetch.loadCookies else { return }
    do throws(UsageError) {
      let bytes = try ArgumentPath.contents(of: path, from: context.currentDirectory)
      if bytes.starts(with: "SQLite format 3".utf8) {
        problems.append(.path(.cookiesInDatabase(path)))
        return
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let read = CookieFile.cookies(in: text, at: context.clock.now().wall) else {
        problems.append(.path(.notCookies(path)))
        return
      }
      cookies = read
    } catch {
      problems.append(.path(.cookiesUnreadable(path)))
    }
  }

  private mutating func readVariant(_ fetch: FetchOptions) {
    guard let text = fetch.variant else { return }
    options.variant = PlaylistVariant(rawValue: text)
    if options.variant == nil { problems.append(.value(.variant(text))) }
  }

  private mutating func readCertificate(_ fetch: FetchOptions) {
    guard let certificate = fetch.cert else {
      if let key = fetch.key { problems.append(.command(.keyWithoutCertificate(key))) }
      return
    }
    guard let certificatePath = readableFile(certificate),
      let keyPath = readableFile(fetch.key ?? certificate)
    else { return }
    options.certificate = ClientCertificate(certificatePath: certificatePath, keyPath: keyPath)
  }

  private mutating func readableFile(_ path: String) -> String? {
    if context.host != nil {
      if path.hasPrefix("/") { return path }
      problems.append(.path(.relativeOverHost(path)))
      return nil
    }
    switch ArgumentPath.readableFile(path, from: context.currentDirectory) {
    case .success(let file): return file
    case .failure(let error):
      problems += error.problems
      return nil
    }
  }
}
