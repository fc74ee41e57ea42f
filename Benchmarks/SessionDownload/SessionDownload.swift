import BackgroundTransfer
import Foundation

/// Downloads a file with a background session, for measurement.
///
///     session-download URL FILE
@main
enum SessionDownload {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 3, let url = URL(string: words[1]) else {
      FileHandle.standardError.write(Data("usage: session-download URL FILE\n".utf8))
      exit(2)
    }
    let configuration = URLSessionConfiguration.background(withIdentifier: "session-download")
    configuration.sessionSendsLaunchEvents = false
    let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
    try await session.download(from: url, to: URL(filePath: words[2]).absoluteURL)
  }
}
