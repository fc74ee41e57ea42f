// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OtherSessions.md
import BackgroundTransfer
import Foundation

@MainActor
func runOtherSessions1() throws {
  final class Library: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      print("\(data.count) more bytes of the list")
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      try? FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: "\(Place.root)/book.pdf"))
    }
  }

  let library = Library()
  let plain = URLSession(configuration: .default, delegate: library, delegateQueue: nil)
  let books = URLSession(
    configuration: .background(withIdentifier: "org.example.books"), delegate: library,
    delegateQueue: nil)
  if let list = URL(string: "\(Place.origin)/list"),
    let book = URL(string: "\(Place.origin)/books/17.pdf")
  {
    plain.dataTask(with: list).resume()
    books.downloadTask(with: book).resume()
  }
  _ = library
  _ = plain
  _ = books
}
