/// Heads made from what a server of files (FTP, SFTP) said, in the vocabulary of HTTP.
extension ResponseHead {
  /// Names the server's own words in such a head. Ignored in a head that came over HTTP.
  package static let serverWordsName = "Server-Words"

  /// A refusal.
  ///
  /// - Parameter words: the server's own, such as `550 No such file`; safe to show.
  package init(status: Int, serverWords words: String) {
    self.init(status: status, headers: [HeaderField(received: Self.serverWordsName, words)])
  }

  /// What the server of the URL said: its own words, or for HTTP the status.
  package func words(from url: TransferURL) -> String {
    switch url.scheme.family {
    case .http: "\(status)"
    case .ftp, .sftp: value(of: Self.serverWordsName) ?? "\(status)"
    }
  }
}
