// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OneDelegateForAllSessions.md
import BackgroundTransfer
import Foundation
import Synchronization

@MainActor
func runOneDelegateForAllSessions1() throws {
  final class TransferNews: URLSessionDownloadDelegate, Sendable {
    static let shared = TransferNews()

    private let handlers = Mutex<[String: @Sendable () -> Void]>([:])

    func keep(_ handler: @escaping @Sendable () -> Void, for identifier: String) {
      handlers.withLock { $0[identifier] = handler }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      guard let identifier = session.configuration.identifier else { return }
      let handler = handlers.withLock { $0.removeValue(forKey: identifier) }
      handler?()
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
      totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
      guard totalBytesExpectedToWrite != NSURLSessionTransferSizeUnknown else {
        return print("\(totalBytesWritten) bytes so far")
      }
      let fraction = Double(totalBytesWritten) / Double(totalBytesExpectedToWrite)
      print("\(Int(fraction * 100)) %")
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      let name = "\(session.configuration.identifier ?? "")-\(downloadTask.taskIdentifier)"
      try? FileManager.default.moveItem(at: location, to: URL(filePath: "\(Place.root)/inbox/" + name))
    }
  }

  BackgroundEvents.handle { identifier, completionHandler in
    TransferNews.shared.keep(completionHandler, for: identifier)
  }
  let sessions = ["org.example.books", "org.example.maps"].map { identifier in
    URLSession(
      configuration: .background(withIdentifier: identifier), delegate: TransferNews.shared,
      delegateQueue: nil)
  }
  print(sessions)
  dispatchMain()
}
