import BackgroundTransfer
import Foundation
import Testing

/// What the program needs to know about a request when its file arrives: its destination.
public class Parcel: NSObject {
  public let sessionID: String
  public let taskID: Int
  public let path: String

  init(sessionID: String, taskID: Int, path: String) {
    self.sessionID = sessionID
    self.taskID = taskID
    self.path = path
  }
}

/// Parcels on the disk, by session and task.
final class ParcelStore {
  private let file: URL

  init(file: URL) { self.file = file }

  func save(_ parcel: Parcel) throws {
    var all = paths
    all[key(parcel.sessionID, parcel.taskID)] = parcel.path
    try PropertyListEncoder().encode(all).write(to: file)
  }

  func fetch(sessionID: String, taskID: Int) -> Parcel? {
    paths[key(sessionID, taskID)].map { Parcel(sessionID: sessionID, taskID: taskID, path: $0) }
  }

  private func key(_ sessionID: String, _ taskID: Int) -> String { "\(sessionID) \(taskID)" }

  private var paths: [String: String] {
    guard let data = try? Data(contentsOf: file) else { return [:] }
    return (try? PropertyListDecoder().decode([String: String].self, from: data)) ?? [:]
  }
}

final class ParcelService: NSObject, ApplicationDelegate, URLSessionDownloadDelegate {
  let store: ParcelStore
  var reattached: [URLSession] = []
  var taskCounts: [Int] = []

  init(store: ParcelStore) { self.store = store }

  func send(for text: String, to path: String) throws -> (URLSession, URLSessionDownloadTask)? {
    guard let url = URL(string: text) else { return nil }
    let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    let task = session.downloadTask(with: url)
    if let sessionID = session.configuration.identifier {
      try store.save(Parcel(sessionID: sessionID, taskID: task.taskIdentifier, path: path))
    }
    task.resume()
    return (session, task)
  }

  func application(
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping () -> Void
  ) {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    let session = URLSession(
      configuration: configuration, delegate: self, delegateQueue: OperationQueue.main)
    session.getTasksWithCompletionHandler { (dataTasks, uploadTasks, downloadTasks) -> Void in
      self.taskCounts = [dataTasks.count, uploadTasks.count, downloadTasks.count]
      completionHandler()
    }
    reattached.append(session)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard let sessionID = session.configuration.identifier,
      let parcel = store.fetch(sessionID: sessionID, taskID: downloadTask.taskIdentifier)
    else { return }
    try? FileManager.default.moveItem(atPath: location.path, toPath: parcel.path)
  }
}

@Suite(.timeLimit(.minutes(3)))
struct RememberedRequestsTests {
  @Test func `the destination is found again by session and task`() throws {
    let scratch = try Scratch()
    let store = ParcelStore(file: scratch.folder.appendingPathComponent("parcels.plist"))
    let service = ParcelService(store: store)
    let path = scratch.folder.appendingPathComponent("water.pdf").path
    let sent = try #require(try service.send(for: "http://127.0.0.1:9/boiled.pdf", to: path))
    let arrived = try scratch.file("download.tmp", holding: "water")
    let delegate: URLSessionDownloadDelegate = service
    delegate.urlSession(sent.0, downloadTask: sent.1, didFinishDownloadingTo: arrived)
    #expect(FileManager.default.contents(atPath: path) == Data("water".utf8))
    #expect(sent.0.configuration.identifier.flatMap(UUID.init(uuidString:)) != nil)
  }

  @Test func `a download with a completion handler is refused in a background session`()
    async throws
  {
    let scratch = try Scratch()
    let session = URLSession(
      configuration: .background(withIdentifier: "org.example.handlers"), delegate: nil,
      delegateQueue: nil)
    let url = URL(literal: "http://127.0.0.1:9/handler.pdf")
    let error: Error? = await withCheckedContinuation { continuation in
      let task = session.downloadTask(
        with: url,
        completionHandler: { (location: URL?, response: URLResponse?, error: Error?) in
          continuation.resume(returning: location == nil ? error : nil)
        })
      task.resume()
    }
    #expect((error as? URLError)?.code == .unknown)
    withExtendedLifetime(scratch) {}
  }
}
