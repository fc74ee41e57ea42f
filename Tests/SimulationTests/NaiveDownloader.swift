import KettleModel

/// The simplest downloader there is: it asks for the whole file, follows redirects, and takes what
/// comes, from servers that tell the truth. It knows nothing of the engine, and says what a
/// finished file may be.
struct NaiveDownloader {
  let origins: SimulatedOrigins

  /// Returns what the URL leads to at a time; nil if it leads nowhere.
  func body(of url: TransferURL, at time: MonotonicTime) -> [UInt8]? {
    guard let (body, isPlaylist) = response(to: url, at: time) else { return nil }
    guard isPlaylist else { return Array(body) }
    var joined: [UInt8] = []
    for line in String(decoding: body, as: UTF8.self).split(separator: "\n") where line.first == "/"
    {
      guard case .success(let parsed) = TransferURL.parse("http://\(url.host)\(line)"),
        let segment = response(to: parsed.url, at: time)
      else { return nil }
      joined += segment.body
    }
    return joined
  }

  private func response(
    to url: TransferURL, at time: MonotonicTime
  ) -> (body: ArraySlice<UInt8>, isPlaylist: Bool)? {
    var url = url
    for _ in 0..<10 {
      let reply = origins.honest(to: url, range: nil, ifRange: nil, tagNumber: 0, at: time)
      switch reply.status {
      case 200:
        let type = reply.headers.first { $0.0 == "Content-Type" }?.1
        return (reply.body, type == "application/vnd.apple.mpegurl")
      case 302:
        guard let location = reply.headers.first(where: { $0.0 == "Location" })?.1,
          case .success(let parsed) = TransferURL.parse(location)
        else { return nil }
        url = parsed.url
      default: return nil
      }
    }
    return nil
  }

  /// Returns every file that a request for one of the URLs may have fetched in this time: the bytes
  /// of one version from one source, and never of two.
  func files(
    of urls: [TransferURL], from begin: MonotonicTime, to end: MonotonicTime
  ) -> [[UInt8]] {
    let changes = origins.resources.flatMap { $0.versions.map(\.since) }
    let times = [begin] + changes.filter { begin < $0 && $0 <= end }
    return urls.flatMap { url in times.compactMap { body(of: url, at: $0) } }
  }
}
