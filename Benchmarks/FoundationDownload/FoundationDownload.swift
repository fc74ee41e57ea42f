import Foundation
import FoundationNetworking

/// Downloads a file with the `URLSession` that comes with Swift, for measurement.
///
///     foundation-download URL FILE
@main
enum FoundationDownload {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 3, let url = URL(string: words[1]) else {
      FileHandle.standardError.write(Data("usage: foundation-download URL FILE\n".utf8))
      exit(2)
    }
    let (location, _) = try await URLSession.shared.download(from: url)
    try FileManager.default.moveItem(at: location, to: URL(filePath: words[2]))
  }
}
