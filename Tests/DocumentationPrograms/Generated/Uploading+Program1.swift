// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/Uploading.md
import BackgroundTransfer
import Foundation
import Synchronization

@MainActor
func runUploading1() throws {
  final class Answers: URLSessionDataDelegate, Sendable {
    private let bodies = Mutex<[Int: Data]>([:])
    private let whenDone = Mutex<(@Sendable () -> Void)?>(nil)

    func keep(_ handler: @escaping @Sendable () -> Void) { whenDone.withLock { $0 = handler } }

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
      if let error {
        print(error.localizedDescription)
      } else {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        print("The server said \(status):", String(decoding: body, as: UTF8.self))
      }
      if BackgroundEvents.sessionIdentifier == nil { session.finishTasksAndInvalidate() }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
      exit(0)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      let handler = whenDone.withLock { handler in
        defer { handler = nil }
        return handler
      }
      handler?()
      exit(0)
    }
  }

  let answers = Answers()
  BackgroundEvents.handle { _, completionHandler in answers.keep(completionHandler) }
  let session = URLSession(
    configuration: .background(withIdentifier: "org.example.films"), delegate: answers,
    delegateQueue: nil)
  if BackgroundEvents.sessionIdentifier == nil {
    session.getAllTasks { tasks in
      guard tasks.isEmpty, let url = URL(string: "\(Place.origin)/films/17")
      else { return }
      var request = URLRequest(url: url)
      request.httpMethod = "PUT"
      request.setValue("video/mp4", forHTTPHeaderField: "Content-Type")
      session.uploadTask(with: request, fromFile: URL(filePath: "\(Place.root)/films/17.mp4")).resume()
    }
  }
  dispatchMain()
}
