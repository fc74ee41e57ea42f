// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/AsyncDownloads.md
import BackgroundTransfer
import Foundation

@MainActor
func runAsyncDownloads1() async throws {
  actor BookService {
    private let session: URLSession
    private let folder: URL
    private var running: [URL: Task<URL, any Error>] = [:]

    init(identifier: String, folder: URL) {
      session = URLSession(configuration: .background(withIdentifier: identifier))
      self.folder = folder
    }

    func book(at url: URL) async throws -> URL {
      let place = folder.appending(path: url.lastPathComponent)
      if FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) { return place }
      if let task = running[url] { return try await task.value }

      let task = Task { [session] in
        try await session.download(from: url, to: place, onConflict: .skip)
      }
      running[url] = task
      defer { running[url] = nil }
      return try await task.value
    }
  }

  let books = BookService(identifier: "org.example.books", folder: URL(filePath: "\(Place.root)/books"))
  let urls = (1...3).compactMap { URL(string: "\(Place.origin)/books/\($0).pdf") }
  try await withThrowingTaskGroup(of: URL.self) { group in
    for url in urls { group.addTask { try await books.book(at: url) } }
    for try await place in group { print(place.path(percentEncoded: false)) }
  }
  _ = books
  _ = urls
}
