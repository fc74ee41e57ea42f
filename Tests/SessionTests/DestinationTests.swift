import BackgroundTransfer
import Foundation
import KettleControl
import Testing
import TestSupport

/// Where files go, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DestinationTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let session: URLSession
  private let body = SeededBody(seed: 11, byteCount: 50_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
    session = home.session(told)
    origin.serve(OriginBehavior(body), at: "/a.bin")
  }

  private func download(
    to place: URL, _ conflict: DestinationConflict = .rename, path: String = "/a.bin"
  ) throws -> URLSessionDownloadTask {
    let task = session.downloadTask(
      with: try origin.address(path), to: place, onConflict: conflict)
    task.resume()
    return task
  }

  private func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: home.file(name).path).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static let success = [
    "wrote 1 50000/50000", "finished 1 200", "completed 1 nil", "invalid",
  ]

  @Test func `a file that the delegate leaves in place is deleted after the call`() async throws {
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    try await told.expect(Self.success, of: session)
    let place = try #require(told.place(of: task))
    #expect(place.path.hasPrefix(home.paths.heldDirectory + "/"))
    #expect(!FileManager.default.fileExists(atPath: place.path))
    #expect(home.heldFiles.isEmpty)
  }

  @Test func `a mirror serves the file of a task when the first server fails`() async throws {
    origin.serve(.status(503), at: "/gone.bin")
    var options = DownloadOptions()
    options.mirrors = [try origin.address("/a.bin")]
    let target = home.file("mirrored.bin")
    let task = session.downloadTask(
      with: URLRequest(url: try origin.address("/gone.bin")), to: target, options: options)
    task.resume()
    try await told.expect(Self.success, of: session)
    #expect(body.difference(fromFileAt: target.path) == nil)
  }

  @Test func `a file with another digest does not get its name`() async throws {
    var options = DownloadOptions()
    options.checksum = "sha256:" + String(repeating: "0", count: 64)
    let target = home.file("checked.bin")
    let task = session.downloadTask(
      with: URLRequest(url: try origin.address("/a.bin")), to: target, options: options)
    task.resume()
    // Progress is reported at intervals, and only a success is preceded by a last report.
    let calls = try await told.all(session)
    #expect(
      calls.suffix(2) == [
        "completed 1 \(URLError.Code.cannotDecodeRawData.rawValue)", "invalid",
      ])
    for call in calls.dropLast(2) {
      #expect(call.hasPrefix("wrote 1 ") && call.hasSuffix("/50000"), "\(call)")
    }
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  @Test func `a delegate can move the file or delete it`()
    async throws
  {
    let target = home.file("moved.bin")
    let mover = Told(take: { try? FileManager.default.moveItem(at: $0, to: target) })
    let moving = home.session(mover)
    moving.downloadTask(with: try origin.address("/a.bin")).resume()
    try await mover.expect(Self.success, of: moving)
    #expect(body.difference(fromFileAt: target.path) == nil)
    let waster = Told(take: { try? FileManager.default.removeItem(at: $0) })
    let wasting = home.session(waster)
    wasting.downloadTask(with: try origin.address("/a.bin")).resume()
    try await waster.expect(Self.success, of: wasting)
    #expect(try await home.rows().isEmpty)
  }

  @Test func `the destination file exists before the delegate call and is kept`() async throws {
    let task = try download(to: home.file("b.bin"))
    try await told.expect(Self.success, of: session)
    #expect(told.place(of: task) == home.file("b.bin"))
    #expect(body.difference(fromFileAt: home.file("b.bin").path) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.files) == ["b.bin"])
  }

  @Test func `an error page never gets the destination name`() async throws {
    origin.serve(.status(404, text: "Nothing here"), at: "/none")
    let task = try download(to: home.file("b.bin"), path: "/none")
    try await told.expect(["completed 1 -1011", "invalid"], of: session)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.files).isEmpty)
  }

  @Test func `rename gives the download another name if the file exists`() async throws {
    try "mine".write(to: home.file("b.bin"), atomically: true, encoding: .utf8)
    let task = try download(to: home.file("b.bin"), .rename)
    try await told.expect(Self.success, of: session)
    #expect(told.place(of: task)?.lastPathComponent == "b (2).bin")
    #expect(text("b.bin") == "mine")
    #expect(body.difference(fromFileAt: home.file("b (2).bin").path) == nil)
  }

  @Test func `replace overwrites an existing file`() async throws {
    try "mine".write(to: home.file("b.bin"), atomically: true, encoding: .utf8)
    _ = try download(to: home.file("b.bin"), .replace)
    try await told.expect(Self.success, of: session)
    #expect(body.difference(fromFileAt: home.file("b.bin").path) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.files) == ["b.bin"])
  }

  @Test func `skip keeps an existing file`() async throws {
    try "mine".write(to: home.file("b.bin"), atomically: true, encoding: .utf8)
    let task = try download(to: home.file("b.bin"), .skip)
    try await told.expect(["finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(told.place(of: task) == home.file("b.bin"))
    #expect(text("b.bin") == "mine")
  }

  @Test func `a missing destination directory is named in the error`()
    async throws
  {
    let task = try download(to: home.file("missing/b.bin"))
    try await told.expect(["completed 1 -3000", "invalid"], of: session)
    let sentence = told.error(of: task)?.localizedDescription ?? ""
    #expect(sentence.contains("missing"), "\(sentence)")
  }

  @Test func `a destination directory deleted mid-download is named in the error`() async throws {
    let whole = OriginBehavior(body)
    origin.serve(
      [whole.with { $0.stall = .init(after: 20_000, until: "gone") }, whole], at: "/a.bin")
    let folder = home.file("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let task = try download(to: folder.appending(path: "b.bin"))
    try await told.wait(for: "wrote 1 20000/")
    try FileManager.default.removeItem(at: folder)
    origin.release("gone")
    let calls = try await told.wait(for: "completed")
    #expect(calls.last != "completed 1 nil")
    let sentence = told.error(of: task)?.localizedDescription ?? ""
    #expect(sentence.contains("folder"), "\(sentence)")
    try await told.expect(calls + ["invalid"], of: session)
  }

  @Test func `a file in place of the destination directory is named in the error`() async throws {
    try "mine".write(to: home.file("folder"), atomically: true, encoding: .utf8)
    let task = try download(to: home.file("folder/b.bin"))
    let calls = try await told.all(session)
    #expect(calls == ["completed 1 -3000", "invalid"])
    let sentence = told.error(of: task)?.localizedDescription ?? ""
    #expect(sentence.contains("folder"), "\(sentence)")
    #expect(text("folder") == "mine")
  }
}
