import BackgroundTransfer
import Foundation

/// Shows a download service within a program, called with `await`. It downloads a file once when
/// several callers request it at the same time.
///
///     download-service DIRECTORY URL...
///
/// Kill it in the middle and start it again with the same arguments: it picks up the running
/// downloads and finds those that have finished meanwhile.
actor DownloadService {
  private let session: URLSession
  private let directory: URL
  private var running: [URL: Task<URL, any Error>] = [:]
  /// The number of requests, and how many of them required a download.
  private(set) var requestCount = 0
  private(set) var downloadCount = 0

  init(directory: URL) {
    self.directory = directory
    let configuration = URLSessionConfiguration.background(
      withIdentifier: "org.example.download-service")
    // The user restarts this program; the service does not.
    configuration.sessionSendsLaunchEvents = false
    // No delegate: files go straight to their destinations; `await` returns when they are there.
    session = URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
  }

  /// Returns the location of the file. A second caller for the same file waits for the download of
  /// the first.
  func file(for url: URL) async throws -> URL {
    requestCount += 1
    if let task = running[url] { return try await task.value }
    downloadCount += 1
    let destination = directory.appending(path: url.lastPathComponent)
    let task = Task { [session] in
      try await session.download(from: url, to: destination, onConflict: .replace)
    }
    running[url] = task
    defer { running[url] = nil }
    return try await task.value
  }
}

@main
enum Program {
  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    let urls = words.dropFirst().compactMap { URL(string: $0) }
    guard let directory = words.first, !urls.isEmpty, urls.count == words.count - 1 else {
      FileHandle.standardError.write(Data("usage: download-service DIRECTORY URL...\n".utf8))
      exit(2)
    }
    let service = DownloadService(directory: URL(filePath: directory).absoluteURL)
    var failureCount = 0
    await withTaskGroup(of: (URL, Result<URL, any Error>).self) { group in
      for url in urls {
        group.addTask {
          do {
            return (url, .success(try await service.file(for: url)))
          } catch {
            return (url, .failure(error))
          }
        }
      }
      for await (url, result) in group {
        switch result {
        case .success(let file):
          say("\(url.lastPathComponent) is at \(file.path(percentEncoded: false))")
        case .failure(let error):
          failureCount += 1
          say("\(url.lastPathComponent) failed: \((error as? URLError)?.code.rawValue ?? 0)")
        }
      }
    }
    say("requested \(await service.requestCount), downloaded \(await service.downloadCount)")
    exit(failureCount == 0 ? 0 : 1)
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
