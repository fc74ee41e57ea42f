// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/Uploading.md
import BackgroundTransfer
import Foundation
import Synchronization

@MainActor
private func program() async throws {
  final class Answers: URLSessionDataDelegate, Sendable {
    private let bodies = Mutex<[Int: Data]>([:])

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
      totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
      print("\(totalBytesSent) of \(totalBytesExpectedToSend) bytes")
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      bodies.withLock { $0[dataTask.taskIdentifier, default: Data()].append(data) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      let body = bodies.withLock { $0.removeValue(forKey: task.taskIdentifier) } ?? Data()
      if let error { return print(error.localizedDescription) }
      let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
      print("The server said \(status):", String(decoding: body, as: UTF8.self))
    }
  }

  let session = URLSession(
    configuration: .background(withIdentifier: "org.example.films"), delegate: Answers(),
    delegateQueue: nil)
  guard let url = URL(string: "https://example.org/films/17") else { exit(2) }
  var request = URLRequest(url: url)
  request.httpMethod = "PUT"
  request.setValue("video/mp4", forHTTPHeaderField: "Content-Type")
  session.uploadTask(with: request, fromFile: URL(filePath: "/srv/films/17.mp4")).resume()
  _ = session
  _ = request
}
