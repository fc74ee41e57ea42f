import BackgroundTransfer
import Foundation
import Testing

/// Results in place of three optional values.
extension URLSession {
  func dataTask(
    request: URLRequest, completion: @escaping (Result<(Data, HTTPURLResponse?), Error>) -> Void
  ) -> URLSessionDataTask {
    return dataTask(with: request, completionHandler: makeCompletion(completion: completion))
  }

  func uploadTask(
    request: URLRequest, data: Data,
    completion: @escaping (Result<(Data, HTTPURLResponse?), Error>) -> Void
  ) -> URLSessionUploadTask {
    return uploadTask(
      with: request, from: data, completionHandler: makeCompletion(completion: completion))
  }
}

private func makeCompletion(
  completion: @escaping (Result<(Data, HTTPURLResponse?), Error>) -> Void
) -> (Data?, URLResponse?, Error?) -> Void {
  return { data, response, error in
    if let error = error {
      completion(.failure(error))
      return
    }
    completion(.success((data ?? Data(), response as? HTTPURLResponse)))
  }
}

/// Fetches the covers of books at once and the books in the background.
class CoverLoader: NSObject {
  static let shared = CoverLoader()

  var covers: [Int: Data] = [:]
  var onEnd: ((String) -> Void)?

  private lazy var background: URLSession = {
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.covers")
    configuration.waitsForConnectivity = true
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }()

  private lazy var foreground = URLSession(
    configuration: .ephemeral, delegate: self, delegateQueue: .main)

  func load(_ cover: URL) -> URLSessionDataTask {
    let task = foreground.dataTask(with: cover)
    task.taskDescription = "cover"
    task.resume()
    return task
  }

  func order(_ book: URL) -> URLSessionDownloadTask {
    let task = background.downloadTask(with: book)
    task.taskDescription = "book"
    return task
  }

  func size(of url: URL) async throws -> Int {
    let (location, _) = try await foreground.download(from: url)
    defer { try? FileManager.default.removeItem(at: location) }
    return try Data(contentsOf: location).count
  }
}

extension CoverLoader: URLSessionDataDelegate, URLSessionDownloadDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    covers[dataTask.taskIdentifier] = Data()
    completionHandler(response.mimeType == "text/html" ? .cancel : .allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    covers[dataTask.taskIdentifier]?.append(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
  ) {
    completionHandler(InputStream(data: Data("cover".utf8)))
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    onEnd?("file")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    onEnd?(task.taskDescription ?? "")
  }
}

@Suite(.timeLimit(.minutes(3)), .serialized)
struct PlainRequestsTests {
  @MainActor
  @Test func `a cover arrives on the main queue`() async throws {
    let loader = CoverLoader()
    let ends = AsyncStream.makeStream(of: String.self)
    loader.onEnd = {
      dispatchPrecondition(condition: .onQueue(.main))
      ends.continuation.yield($0)
    }
    let task = loader.load(URL(literal: "data:text/plain,cover"))
    for await end in ends.stream {
      #expect(end == "cover")
      break
    }
    #expect(loader.covers[task.taskIdentifier] == Data("cover".utf8))
    #expect(task.state == .completed)
  }

  @Test func `results take the place of three optional values`() async throws {
    let request = URLRequest(url: URL(literal: "data:text/plain,17"))
    let result = await withCheckedContinuation { continuation in
      URLSession.shared.dataTask(request: request) { continuation.resume(returning: $0) }.resume()
    }
    #expect(try result.get().0 == Data("17".utf8))
    let refused = await withCheckedContinuation { continuation in
      var request = URLRequest(url: URL(literal: "http://127.0.0.1:9/"))
      request.httpMethod = "PUT"
      URLSession.shared.uploadTask(request: request, data: Data("17".utf8)) {
        continuation.resume(returning: $0)
      }.resume()
    }
    #expect(throws: URLError.self) { try refused.get() }
  }

  @Test func `a book is ordered in the background`() throws {
    _ = try Scratch()
    let task = CoverLoader.shared.order(URL(literal: "http://127.0.0.1:9/book"))
    #expect(task.taskDescription == "book")
    #expect(task.state == .suspended)
  }

  @Test func `a refused download throws an error`() async throws {
    await #expect(throws: URLError.self) {
      try await CoverLoader().size(of: URL(literal: "http://127.0.0.1:9/cover"))
    }
  }
}
