import BackgroundTransfer
import Foundation
import KettleModel
import Testing
import TestSupport

/// Tasks that are suspended, cancelled and resumed, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ResumingTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let session: URLSession
  private let body = SeededBody(seed: 2, byteCount: 300_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
    session = home.session(told)
  }

  /// Stalls after 100,000 bytes the first time.
  private func serve(_ change: (inout OriginBehavior) -> Void = { _ in }) {
    let whole = OriginBehavior(body).with(change)
    origin.serve(
      [whole.with { $0.stall = .init(after: 100_000, until: "never") }, whole], at: "/a.bin")
  }

  /// A download whose first 100,000 bytes were reported to the delegate.
  private func halfDone() async throws -> URLSessionDownloadTask {
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    try await told.wait(for: "wrote 1 100000/")
    return task
  }

  private func resumeData(_ task: URLSessionDownloadTask) async throws -> Data {
    try #require(await task.cancelByProducingResumeData())
  }

  private func expectBody(_ task: URLSessionTask) {
    #expect(told.file(of: task)?.elementsEqual(body.bytes) == true)
  }

  @Test func `suspend and resume make no delegate calls and lose no bytes`() async throws {
    serve()
    let task = try await halfDone()
    task.suspend()
    #expect(task.state == .suspended)
    try await origin.waitUntilIdle()
    task.resume()
    try await told.expect(
      ["wrote 1 300000/300000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    expectBody(task)
    // The received bytes are checked and not fetched again.
    #expect(origin.requests(at: "/a.bin").last?.value(of: "Range")?.hasPrefix("bytes=0-") == false)
  }

  @Test func `suspensions are counted`() async throws {
    serve()
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.suspend()
    task.resume()
    #expect(task.state == .suspended)
    task.resume()
    try await told.wait(for: "wrote 1 100000/")
    task.suspend()
    task.suspend()
    try await origin.waitUntilIdle()
    task.resume()
    #expect(task.state == .suspended)
    task.resume()
    #expect(try await told.all(session).suffix(2) == ["completed 1 nil", "invalid"])
  }

  @Test func `a new task continues from resume data and reports the offset first`() async throws {
    serve()
    let data = try await resumeData(try await halfDone())
    let first = try await told.wait(for: "completed 1")
    #expect(first == ["wrote 1 100000/300000", "completed 1 -999"])
    let task = session.downloadTask(withResumeData: data)
    #expect(task.taskIdentifier == 2)
    #expect(task.originalRequest?.url == (try origin.address("/a.bin")))
    task.resume()
    try await told.expect(
      first + [
        "resumed 2 100000/300000", "wrote 2 300000/300000", "finished 2 200", "completed 2 nil",
        "invalid",
      ], of: session)
    expectBody(task)
  }

  @Test func `the task's error contains the same resume data`() async throws {
    serve()
    let task = try await halfDone()
    let data = try await resumeData(task)
    try await told.wait(for: "completed 1")
    #expect(told.error(of: task)?.downloadTaskResumeData == data)
  }

  @Test func `resume data is valid once, and its second use starts from zero`() async throws {
    serve()
    let data = try await resumeData(try await halfDone())
    let tasks = [0, 1].map { _ in session.downloadTask(withResumeData: data) }
    for task in tasks {
      task.resume()
      try await told.wait(for: "completed \(task.taskIdentifier)")
    }
    try await told.expect(
      [
        "wrote 1 100000/300000", "completed 1 -999",
        "resumed 2 100000/300000", "wrote 2 300000/300000", "finished 2 200", "completed 2 nil",
        "wrote 3 300000/300000", "finished 3 200", "completed 3 nil", "invalid",
      ], of: session)
    for task in tasks { expectBody(task) }
  }

  @Test func `resume data of a changed file starts from zero`() async throws {
    serve()
    let data = try await resumeData(try await halfDone())
    let other = SeededBody(seed: 3, byteCount: 200_000)
    origin.serve(OriginBehavior(other), at: "/a.bin")
    let task = session.downloadTask(withResumeData: data)
    task.resume()
    try await told.expect(
      [
        "wrote 1 100000/300000", "completed 1 -999", "wrote 2 200000/200000", "finished 2 200",
        "completed 2 nil", "invalid",
      ], of: session)
    #expect(told.file(of: task)?.elementsEqual(other.bytes) == true)
  }

  @Test(arguments: [false, true])
  func `no resume data is produced without validators or without ranges`(
    hasValidators: Bool
  ) async throws {
    serve {
      if hasValidators {
        $0.ranges = .ignored
        $0.headers = [HeaderField(name: "Accept-Ranges", value: "none")].compactMap { $0 }
      } else {
        $0.entityTag = .none
        $0.lastModified = nil
      }
    }
    let task = try await halfDone()
    #expect(await task.cancelByProducingResumeData() == nil)
    try await told.expect(["wrote 1 100000/300000", "completed 1 -999", "invalid"], of: session)
    #expect(told.error(of: task)?.downloadTaskResumeData == nil)
    #expect(try await home.rows().isEmpty)
  }

  @Test func `a task that never started has no resume data`() async throws {
    serve()
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    #expect(await task.cancelByProducingResumeData() == nil)
    try await told.expect(["completed 1 -999", "invalid"], of: session)
  }

  @Test func `cancel completes the task once with -999 and no resume data`() async throws {
    serve()
    let task = try await halfDone()
    task.cancel()
    task.cancel()
    try await told.expect(["wrote 1 100000/300000", "completed 1 -999", "invalid"], of: session)
    #expect(task.state == .completed)
    #expect(told.error(of: task)?.downloadTaskResumeData == nil)
    #expect(told.error(of: task)?.backgroundTaskCancelledReason == nil)
    #expect(home.heldFiles.isEmpty)
    #expect(try await home.rows().isEmpty)
  }

  @Test func `malformed resume data and resume data of another version are rejected`() async throws
  {
    serve()
    let data = try await resumeData(try await halfDone())
    let text = String(decoding: data, as: UTF8.self)
    let newer = text.replacing("\"version\":1", with: "\"version\":2")
    #expect(newer != text)
    let rubbish = [Data(), Data([0, 1, 2]), data.dropLast(9), Data(newer.utf8)]
    for (number, data) in rubbish.enumerated() {
      session.downloadTask(withResumeData: Data(data)).resume()
      try await told.wait(for: "completed \(-1 - number)")
    }
    try await told.expect(
      [
        "wrote 1 100000/300000", "completed 1 -999", "completed -1 -1002", "completed -2 -1002",
        "completed -3 -1002", "completed -4 -1002", "invalid",
      ], of: session)
  }

  @Test func `resume data is a property list with the keys of Apple's systems`() async throws {
    serve()
    let data = try await resumeData(try await halfDone())
    let list = try #require(
      try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    #expect(list["NSURLSessionResumeInfoVersion"] as? Int == 2)
    #expect(
      list["NSURLSessionDownloadURL"] as? String == (try origin.address("/a.bin")).absoluteString)
    #expect(list["NSURLSessionResumeBytesReceived"] as? Int == 100_000)
    #expect(list["NSURLSessionResumeInfoTempFileName"] as? String == "a.bin.part")
    #expect((list["NSURLSessionResumeEntityTag"] as? String)?.hasPrefix("\"") == true)
    #expect(
      list["NSURLSessionResumeServerDownloadDate"] as? String == "Wed, 21 Oct 2015 07:28:00 GMT")
    for key in ["NSURLSessionResumeOriginalRequest", "NSURLSessionResumeCurrentRequest"] {
      let coder = try NSKeyedUnarchiver(forReadingFrom: try #require(list[key] as? Data))
      coder.requiresSecureCoding = false
      let request = coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSURLRequest
      #expect(request?.url == (try origin.address("/a.bin")))
    }
    _ = try await told.all(session)
  }

  @Test func `resume data that a program stored as another property list is valid`() async throws {
    serve()
    let data = try await resumeData(try await halfDone())
    var list = try #require(
      try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    list["NSURLSessionResumeBytesReceived"] = 1
    let other = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    session.downloadTask(withResumeData: other).resume()
    #expect(try await told.all(session).contains("resumed 2 100000/300000"))
  }

  @Test func `resume data of earlier versions of the library is valid`() async throws {
    serve()
    let data = try await resumeData(try await halfDone())
    let list = try #require(
      try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    // They contained the JSON alone.
    let json = try #require(list["KettleResumeData"] as? String)
    session.downloadTask(withResumeData: Data(json.utf8)).resume()
    #expect(try await told.all(session).contains("resumed 2 100000/300000"))
  }

  @Test func `the reported offset is what the service has, also if it compares some of it again`()
    async throws
  {
    // Without a strong validator the last bytes are requested again and compared.
    let body = SeededBody(seed: 5, byteCount: 4 << 20)
    let whole = OriginBehavior(body).with { $0.entityTag = .weak }.with { $0.lastModified = nil }
    origin.serve(
      [
        whole.with { $0.stall = .init(after: 2 << 20, until: "never") },
        // The rest is interrupted once, which is not another resumption.
        whole.with { $0.ending = .cut(after: 1 << 20, .reset) }, whole,
      ], at: "/b.bin")
    let first = session.downloadTask(with: try origin.address("/b.bin"))
    first.resume()
    try await told.wait(for: "wrote 1 2097152/")
    let data = try await resumeData(first)
    session.downloadTask(withResumeData: data).resume()
    let calls = try await told.all(session)
    #expect(calls.filter { $0.hasPrefix("resumed") } == ["resumed 2 2097152/4194304"])
    #expect(calls.last { $0.hasPrefix("wrote 2") } == "wrote 2 4194304/4194304")
    let ranges = origin.requests(at: "/b.bin").compactMap { $0.value(of: "Range") }
    #expect(ranges.first == "bytes=2031616-")
  }

  @Test func `resume data with a wrong secret does not claim the stored bytes`() async throws {
    serve()
    let data = try await resumeData(try await halfDone())
    let text = String(decoding: data, as: UTF8.self)
    let secret = try #require(text.firstMatch(of: /"secret":"([^"]+)"/)).output.1
    let forged = Data(text.replacing(secret, with: String(secret.reversed())).utf8)
    #expect(forged != data)
    let task = session.downloadTask(withResumeData: forged)
    task.resume()
    try await told.wait(for: "completed 2")
    // The bytes are still available with the right secret.
    session.downloadTask(withResumeData: data).resume()
    try await told.expect(
      [
        "wrote 1 100000/300000", "completed 1 -999", "wrote 2 300000/300000", "finished 2 200",
        "completed 2 nil", "resumed 3 100000/300000", "wrote 3 300000/300000", "finished 3 200",
        "completed 3 nil", "invalid",
      ], of: session)
  }
}
