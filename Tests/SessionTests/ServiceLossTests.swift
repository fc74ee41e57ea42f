import BackgroundTransfer
import Foundation
import Glibc
import Testing
import TestSupport

/// The service goes away while the library is connected to it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ServiceLossTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let body = SeededBody(seed: 7, byteCount: 12_000_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
  }

  enum Loss: CaseIterable {
    case killed, stopped
  }

  private func lose(_ loss: Loss) async throws {
    switch loss {
    case .killed: kill(try await home.servicePID(), SIGKILL)
    case .stopped: #expect(try await home.kettle("daemon", "stop").code == 0)
    }
  }

  @Test(arguments: Loss.allCases)
  func `a download survives the loss of the service without repeated delegate calls`(loss: Loss)
    async throws
  {
    let whole = OriginBehavior(body)
    origin.serve(
      [whole.with { $0.stall = .init(after: 10_000_000, until: "never") }, whole], at: "/a.bin")
    let session = home.session(told)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    try await told.wait(for: "wrote 1 10000000/")
    try await lose(loss)
    try await told.expect(
      ["wrote 1 12000000/12000000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(told.file(of: task)?.elementsEqual(body.bytes) == true)
    // A stop records every byte; a kill may lose those of the last second.
    let range = origin.requests(at: "/a.bin").last?.value(of: "Range")
    if loss == .stopped { #expect(range?.hasPrefix("bytes=0-") == false) }
  }

  @Test(arguments: Loss.allCases)
  func `a task created while no service runs starts when the service returns`(loss: Loss)
    async throws
  {
    origin.serve(OriginBehavior(body), at: "/a.bin")
    let session = home.session(told)
    _ = await session.allTasks
    try await lose(loss)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.taskDescription = "the first"
    task.resume()
    try await told.expect(
      ["wrote 1 12000000/12000000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(origin.requests(at: "/a.bin").filter { $0.value(of: "Range") == nil }.count <= 1)
  }

  @Test func `losing the service during a delegate call does not repeat the call`()
    async throws
  {
    origin.serve(OriginBehavior(SeededBody(seed: 8, byteCount: 1000)), at: "/a.bin")
    let isIn = Monitor(false)
    let mayGo = Monitor(false)
    let told = Told(take: { _ in
      isIn.update { $0 = true }
      _ = mayGo.block(forMilliseconds: 20_000) { $0 }
    })
    let session = home.session(told)
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    try await isIn.wait(for: "didFinishDownloadingTo") { $0 }
    try await lose(.killed)
    mayGo.update { $0 = true }
    try await told.expect(
      ["wrote 1 1000/1000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(try await home.rows().isEmpty)
    #expect(home.heldFiles.isEmpty)
  }
}
