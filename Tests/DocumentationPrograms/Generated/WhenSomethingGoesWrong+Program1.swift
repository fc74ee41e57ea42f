// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/WhenSomethingGoesWrong.md
import BackgroundTransfer
import Foundation

@MainActor
func runWhenSomethingGoesWrong1() throws {
  final class Outcome: URLSessionTaskDelegate, Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      guard let error = error as? URLError else {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        return print("Task \(task.taskIdentifier): the server said \(status)")
      }
      switch error.code {
      case .cancelled where error.backgroundTaskCancelledReason != nil:
        print("The user took it off the list")
      case .cancelled:
        print("The program cancelled it")
      case .timedOut:
        print("It took longer than timeoutIntervalForResource")
      case .badServerResponse:
        print("The server sent an error page, which did not get the name of the file")
      default:
        print(error.localizedDescription)
      }
      if let data = error.downloadTaskResumeData {
        session.downloadTask(withResumeData: data).resume()
      }
    }
  }
}
