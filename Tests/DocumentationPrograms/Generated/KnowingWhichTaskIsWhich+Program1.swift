// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/KnowingWhichTaskIsWhich.md
import BackgroundTransfer
import Foundation

@MainActor
func runKnowingWhichTaskIsWhich1() throws {
  struct Chapter: Codable {
    var book: String
    var number: Int
  }

  final class ChapterKeeper: URLSessionDownloadDelegate, Sendable {
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      do {
        let chapter = try JSONDecoder().decode(Chapter.self, from: downloadTask.userInfo ?? Data())
        let folder = URL(filePath: "\(Place.root)/books").appending(path: chapter.book)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let place = folder.appending(path: "\(chapter.number).pdf")
        _ = try? FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: location, to: place)
      } catch {
        print("Task \(downloadTask.taskIdentifier): \(error.localizedDescription)")
      }
    }
  }
}
