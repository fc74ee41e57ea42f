import BackgroundTransfer
import Foundation
import Testing

enum ParcelError: Error {
  case unsuitableSession
  case noResponse
  case noOffset
  case transport(Error)
}

/// Uploads in parts, with a protocol that asks the server for the offset first. All of it goes
/// through one session, which may be a background session.
final class PartUploader {
  let identifier: String?
  private let session: URLSession
  private let sessionDelegate = SessionDelegate()
  private let queue = DispatchQueue(label: "org.example.parts5")
  private var callbacks: [String: (Result<(Data?, HTTPURLResponse), Error>) -> Void] = [:]
  private var bodies: [String: Data] = [:]
  private var backgroundHandler: (() -> Void)?

  /// For the session of somebody else, whose tasks get a delegate of their own.
  init(session: URLSession = .shared) throws {
    guard session.configuration.sessionSendsLaunchEvents == false else {
      throw ParcelError.unsuitableSession
    }
    self.session = session
    identifier = session.configuration.identifier
    sessionDelegate.uploader = self
  }

  init(configuration: URLSessionConfiguration) {
    session = URLSession(
      configuration: configuration, delegate: sessionDelegate, delegateQueue: nil)
    identifier = configuration.identifier
    sessionDelegate.uploader = self
  }

  deinit {
    if session.delegate is SessionDelegate { session.finishTasksAndInvalidate() }
  }

  @discardableResult
  func offset(
    of parcel: URL, completion: @escaping (Result<Int, ParcelError>) -> Void
  ) -> URLSessionDataTask {
    let task = session.dataTask(with: request(parcel, "HEAD"))
    start(task, UUID().uuidString) { completion(Self.offset(in: $0)) }
    return task
  }

  @discardableResult
  func send(
    _ file: URL, to parcel: URL, from offset: Int, name: String,
    completion: @escaping (Result<Int, ParcelError>) -> Void
  ) -> URLSessionUploadTask {
    var request = request(parcel, "PATCH")
    request.addValue("application/offset+octet-stream", forHTTPHeaderField: "Content-Type")
    request.addValue(String(offset), forHTTPHeaderField: "Upload-Offset")
    let task = session.uploadTask(with: request, fromFile: file)
    start(task, name) { completion(Self.offset(in: $0)) }
    return task
  }

  func isSending(_ name: String, completion: @escaping (Bool) -> Void) {
    session.getAllTasks(completionHandler: { tasks in
      completion(tasks.contains(where: { $0.taskDescription == name }))
    })
  }

  func keepBackgroundHandler(_ handler: @escaping () -> Void) { backgroundHandler = handler }

  private func start(
    _ task: URLSessionTask, _ name: String,
    _ callback: @escaping (Result<(Data?, HTTPURLResponse), Error>) -> Void
  ) {
    task.taskDescription = name
    if !session.configuration.sessionSendsLaunchEvents { task.delegate = sessionDelegate }
    queue.sync { callbacks[name] = callback }
    task.resume()
  }

  private func request(_ url: URL, _ method: String) -> URLRequest {
    var request = URLRequest(
      url: url, cachePolicy: .reloadIgnoringLocalAndRemoteCacheData, timeoutInterval: 30)
    request.httpMethod = method
    request.addValue("1.0.0", forHTTPHeaderField: "Tus-Resumable")
    return request
  }

  private static func offset(
    in result: Result<(Data?, HTTPURLResponse), Error>
  ) -> Result<Int, ParcelError> {
    switch result {
    case .failure(let error): return .failure(.transport(error))
    case .success(let (_, response)):
      guard (200...299).contains(response.statusCode),
        let text = response.allHeaderFields[ignoringCase: "upload-offset"] as? String,
        let offset = Int(text)
      else { return .failure(.noOffset) }
      return .success(offset)
    }
  }

  fileprivate func receive(_ data: Data, of name: String) { bodies[name, default: Data()] += data }

  fileprivate func complete(_ task: URLSessionTask, _ error: Error?) {
    queue.sync {
      guard let name = task.taskDescription,
        let callback = callbacks.removeValue(forKey: name)
      else { return }
      let body = bodies.removeValue(forKey: name)
      if let error = error {
        callback(.failure(error))
      } else if let response = task.response as? HTTPURLResponse {
        callback(.success((body, response)))
      } else {
        callback(.failure(ParcelError.noResponse))
      }
    }
  }

  fileprivate func finishEvents() {
    guard let handler = backgroundHandler else { return }
    DispatchQueue.main.async {
      handler()
      self.backgroundHandler = nil
    }
  }

  private final class SessionDelegate: NSObject, URLSessionDataDelegate {
    weak var uploader: PartUploader?

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      guard let uploader, let name = dataTask.taskDescription else { return }
      uploader.receive(data, of: name)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?
    ) {
      uploader?.complete(task, error)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      uploader?.finishEvents()
    }
  }
}

extension Dictionary {
  subscript(ignoringCase key: Key) -> Value? {
    guard let text = key as? String else { return nil }
    for known in keys {
      if let name = known as? String, name.lowercased() == text.lowercased() { return self[known] }
    }
    return nil
  }
}

/// The one background session of the program, which passes every call on to the delegate that is
/// registered at the moment.
class PostalSession: NSObject {
  static let instance = PostalSession()

  var buffers = [Int: Data]()
  weak var sessionDelegate: URLSessionDelegate?

  lazy var session: URLSession = {
    let bundle = Bundle.main.bundleIdentifier ?? ""
    let configuration = URLSessionConfiguration.background(
      withIdentifier: "\(bundle).org.example.postalSession")
    configuration.isDiscretionary = false
    configuration.waitsForConnectivity = true
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }()

  func prepare(_ request: URLRequest, from file: URL) -> URLSessionUploadTask {
    let task = session.uploadTask(with: request, fromFile: file)
    task.earliestBeginDate = Date()
    task.countOfBytesClientExpectsToSend = Int64(request.httpBody?.count ?? 0)
    buffers[task.taskIdentifier] = Data()
    return task
  }
}

extension PostalSession: URLSessionDataDelegate {
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    (sessionDelegate as? URLSessionDataDelegate)?.urlSession(
      session, dataTask: dataTask, didReceive: data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    (sessionDelegate as? URLSessionTaskDelegate)?.urlSession(
      session, task: task, didCompleteWithError: error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    (sessionDelegate as? URLSessionTaskDelegate)?.urlSession(
      session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
      totalBytesExpectedToSend: totalBytesExpectedToSend)
  }
}

@Suite(.timeLimit(.minutes(3)), .serialized)
struct PartUploaderTests {
  private let nowhere = URL(literal: "http://127.0.0.1:9/parts/1")

  private func failure(
    of uploader: PartUploader
  ) async -> ParcelError? {
    await withCheckedContinuation { continuation in
      uploader.offset(of: nowhere) { result in
        guard case .failure(let error) = result else {
          continuation.resume(returning: nil)
          return
        }
        continuation.resume(returning: error)
      }
    }
  }

  @Test func `the offset is asked for in every kind of session`() async throws {
    _ = try Scratch()
    let uploaders = [
      try PartUploader(), PartUploader(configuration: .default),
      PartUploader(configuration: .background(withIdentifier: "org.example.parts5")),
    ]
    for uploader in uploaders {
      guard case .transport(let error)? = await failure(of: uploader) else {
        Issue.record("The request did not fail.")
        continue
      }
      #expect((error as? URLError)?.code == .cannotConnectToHost)
    }
  }

  @Test func `a background session of somebody else is not suitable`() throws {
    _ = try Scratch()
    let session = URLSession(configuration: .background(withIdentifier: "org.example.foreign5"))
    #expect(throws: ParcelError.self) { try PartUploader(session: session) }
  }

  @Test func `a part is found by its name`() async throws {
    let scratch = try Scratch()
    let part = try scratch.file("part", holding: "stamp")
    let uploader = PartUploader(configuration: .ephemeral)
    let isSending = await withCheckedContinuation { continuation in
      uploader.isSending("1") { continuation.resume(returning: $0) }
    }
    #expect(!isSending)
    let end = await withCheckedContinuation { continuation in
      uploader.send(part, to: nowhere, from: 0, name: "1") { continuation.resume(returning: $0) }
    }
    #expect(throws: ParcelError.self) { try end.get() }
  }

  @Test func `calls are passed on to the registered delegate`() throws {
    let scratch = try Scratch()
    final class Clerk: NSObject, URLSessionDataDelegate {
      var sent: Int64 = 0
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
      ) {
        sent = totalBytesSent
      }
    }
    let clerk = Clerk()
    let postal = PostalSession.instance
    postal.sessionDelegate = clerk
    let task = postal.prepare(
      URLRequest(url: nowhere), from: try scratch.file("letter", holding: "stamp"))
    postal.urlSession(
      postal.session, task: task, didSendBodyData: 5, totalBytesSent: 5,
      totalBytesExpectedToSend: 5)
    #expect(clerk.sent == 5)
    #expect(postal.buffers[task.taskIdentifier]?.isEmpty == true)
  }
}
