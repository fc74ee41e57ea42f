import BackgroundTransfer
import Foundation
import Synchronization
import Testing

enum ParcelError: Error {
  case unsuitableSession
  case noOffset
  case transport(any Error)
}

/// Uploads in parts: asks the server for the offset with a data task, and sends files, all in one
/// session that may be a background session.
final class PartUploader: Sendable {
  private let session: URLSession
  private let replies: Replies
  private let isOwner: Bool

  /// For the session of somebody else, whose tasks get a delegate of their own.
  init(session: URLSession = .shared) throws(ParcelError) {
    guard !session.configuration.sessionSendsLaunchEvents else { throw .unsuitableSession }
    self.session = session
    replies = Replies()
    isOwner = false
  }

  init(configuration: URLSessionConfiguration) {
    replies = Replies()
    session = URLSession(configuration: configuration, delegate: replies, delegateQueue: nil)
    isOwner = true
  }

  deinit {
    if isOwner { session.finishTasksAndInvalidate() }
  }

  func offset(of parcel: URL) async throws(ParcelError) -> Int {
    try await offset(after: session.dataTask(with: request(parcel, "HEAD")), UUID().uuidString)
  }

  func send(_ file: URL, to parcel: URL, from offset: Int, name: String) async throws(ParcelError)
    -> Int
  {
    var request = request(parcel, "PATCH")
    request.addValue("application/offset+octet-stream", forHTTPHeaderField: "Content-Type")
    request.addValue(String(offset), forHTTPHeaderField: "Upload-Offset")
    return try await self.offset(after: session.uploadTask(with: request, fromFile: file), name)
  }

  func isSending(_ name: String) async -> Bool {
    await session.allTasks.contains { $0.taskDescription == name }
  }

  private func request(_ url: URL, _ method: String) -> URLRequest {
    var request = URLRequest(
      url: url, cachePolicy: .reloadIgnoringLocalAndRemoteCacheData, timeoutInterval: 30)
    request.httpMethod = method
    request.addValue("1.0.0", forHTTPHeaderField: "Tus-Resumable")
    return request
  }

  private func offset(
    after task: URLSessionTask, _ name: String
  ) async throws(ParcelError) -> Int {
    task.taskDescription = name
    if !isOwner { task.delegate = replies }
    let reply = await replies.reply(to: task, name)
    if let error = reply.error { throw .transport(error) }
    guard let response = task.response as? HTTPURLResponse,
      (200...299).contains(response.statusCode),
      let text = response.value(forHTTPHeaderField: "Upload-Offset"), let offset = Int(text)
    else { throw .noOffset }
    return offset
  }
}

/// The delegate of the session, which finds the waiting caller by the description of the task.
final class Replies: NSObject, URLSessionDataDelegate, Sendable {
  struct Reply: Sendable {
    var body = Data()
    var error: (any Error)?
  }

  private struct State {
    var waiting: [String: CheckedContinuation<Reply, Never>] = [:]
    var bodies: [String: Data] = [:]
    var backgroundHandler: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  func reply(to task: URLSessionTask, _ name: String) async -> Reply {
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiting[name] = continuation }
      task.resume()
    }
  }

  func keepBackgroundHandler(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.backgroundHandler = handler }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let name = dataTask.taskDescription else { return }
    state.withLock { $0.bodies[name, default: Data()].append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let name = task.taskDescription else { return }
    let (waiting, body) = state.withLock {
      ($0.waiting.removeValue(forKey: name), $0.bodies.removeValue(forKey: name))
    }
    waiting?.resume(returning: Reply(body: body ?? Data(), error: error))
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    let handler = state.withLock { $0.backgroundHandler.take() }
    Task { @MainActor in handler?() }
  }
}

@Suite(.timeLimit(.minutes(3)), .serialized)
struct PartUploaderTests {
  private let nowhere = URL(literal: "http://127.0.0.1:9/parts/1")

  @Test func `the offset is asked for in every kind of session`() async throws {
    _ = try Scratch()
    let uploaders = [
      try PartUploader(), PartUploader(configuration: .default),
      PartUploader(configuration: .background(withIdentifier: "org.example.parts6")),
    ]
    for uploader in uploaders {
      do throws(ParcelError) {
        _ = try await uploader.offset(of: nowhere)
        Issue.record("The request did not fail.")
      } catch .transport(let error) {
        #expect((error as? URLError)?.code == .cannotConnectToHost)
      } catch {
        Issue.record(error)
      }
    }
  }

  @Test func `a background session of somebody else is not suitable`() throws {
    _ = try Scratch()
    let session = URLSession(configuration: .background(withIdentifier: "org.example.foreign6"))
    #expect(throws: ParcelError.self) { try PartUploader(session: session) }
  }

  @Test func `a part is found by its name`() async throws {
    let scratch = try Scratch()
    let part = try scratch.file("part", holding: "stamp")
    let uploader = PartUploader(configuration: .ephemeral)
    #expect(await !uploader.isSending("1"))
    await #expect(throws: ParcelError.self) {
      try await uploader.send(part, to: nowhere, from: 0, name: "1")
    }
  }
}
