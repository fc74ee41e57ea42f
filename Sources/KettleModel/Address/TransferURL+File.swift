/// URLs of servers of files (FTP, SFTP), whose paths become commands.
extension TransferURL {
  /// This URL if it may name a file there: without a control character, which would begin another
  /// command, and without `;type=i` (RFC 1738, section 3.2.2), because every file is fetched as it
  /// is. The root stays, because the URL of an origin has that path.
  func asFile() -> Result<TransferURL, TransferURLProblem> {
    switch scheme.family {
    case .http: return .success(self)
    case .ftp, .sftp: break
    }
    guard let bytes = PercentEncoding.decoded((path + (query ?? "")).utf8) else {
      return .failure(.characterForbidden("%"))
    }
    if bytes.contains(where: { $0 < 32 || $0 == 127 }) { return .failure(.controlCharacter) }
    if path != "/", path.hasSuffix("/"), query == nil { return .failure(.directory) }
    guard scheme.family == .ftp, query == nil, path.lowercased().hasSuffix(Self.imageType) else {
      return .success(self)
    }
    return .success(
      TransferURL(
        scheme: scheme, host: host, port: port,
        path: String(path.dropLast(Self.imageType.count)), query: nil))
  }

  private static let imageType = ";type=i"
}
