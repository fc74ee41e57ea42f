// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/TenMinutes.md
import BackgroundTransfer
import Foundation

@MainActor
func runTenMinutes1() throws {
  let place = URL(filePath: "\(Place.root)/disk.iso")

  final class Keeper: URLSessionDownloadDelegate, Sendable {
    let place: URL

    init(place: URL) { self.place = place }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      do {
        try FileManager.default.moveItem(at: location, to: place)
        print("Process \(getpid()) moved the file to \(place.path())")
      } catch {
        print("Process \(getpid()) could not move the file: \(error.localizedDescription)")
      }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      if let error { print(error.localizedDescription) }
      if BackgroundEvents.sessionIdentifier == nil { exit(0) }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { exit(0) }
  }

  let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.survivor")
  configuration.launch = .ownProgram
  let session = URLSession(
    configuration: configuration, delegate: Keeper(place: place), delegateQueue: nil)
  if BackgroundEvents.sessionIdentifier == nil {
    session.getAllTasks { tasks in
      guard tasks.isEmpty, let url = URL(string: "\(Place.origin)/disk.iso") else { return }
      var options = DownloadOptions()
      options.bytesPerSecondMax = 500_000  // slow enough to be killed
      session.downloadTask(with: URLRequest(url: url), options: options).resume()
      print("Process \(getpid()) requested the file")
    }
  }
  dispatchMain()
}
