import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

/// Requests of programs over fake ports.
@Suite(.timeLimit(.minutes(5)))
struct TaskRequestTests {
  private static let upload = RequestContent(
    method: "PUT", body: .file(path: "/home/u/film.mov", byteCount: 5000))

  private func task(_ content: RequestContent? = nil) -> TransferSpec {
    var spec = EngineWorld.spec()
    spec.request = content
    spec.task = TaskOptions(kind: content == nil ? .download : .upload)
    return spec
  }

  private func started(
    _ spec: TransferSpec, in world: EngineWorld
  ) async throws -> (TransferID, AttemptRequest) {
    let id = try await world.engine.add([spec])[0]
    return (id, await world.transport.request(1))
  }

  // MARK: Sending

  @Test func `the transport receives the content of the request`() async throws {
    let world = try await EngineWorld()
    let (_, request) = try await started(task(Self.upload), in: world)
    #expect(request.content == Self.upload)
  }

  @Test func `a user's download is a plain GET`() async throws {
    let world = try await EngineWorld()
    let (_, request) = try await started(EngineWorld.spec(), in: world)
    #expect(request.content == nil)
    #expect(request.timeouts == AttemptTimeouts())
  }

  @Test func `sent bytes are reported as progress and stored when the attempt ends`() async throws {
    let world = try await EngineWorld()
    let (id, request) = try await started(task(Self.upload), in: world)
    let commitCount = world.journal.commits.count
    // The engine has processed the start, and its next tick is set.
    #expect(await world.engine.details(of: id)?.snapshot.state == .running)
    world.transport.sent(request.id, 2000)
    world.transport.sent(request.id, 3000)
    await world.advance(milliseconds: 250)
    await world.told.wait { events in
      events.contains { event in
        guard case .progress(let row, bytesWritten: 3000) = event else { return false }
        return row.task?.sentByteCount == 3000 && row.bytesReceived == 3000
          && row.bytesExpected == 5000
      }
    }
    #expect(world.journal.commits.count == commitCount, "progress is not worth a commit")
    world.transport.end(
      request.id, .failed(TransferFailure(.connectionLost, on: "files.example")))
    await world.told.wait(for: .waiting, of: id)
    // When the pause returns, the store is up to date.
    _ = await world.engine.control(.pause, [id])
    #expect(world.journal.records[id]?.task?.sentByteCount == 3000)

    _ = await world.engine.control(.start, [id])
    let second = await world.transport.request(2)
    #expect(second.content == Self.upload)
    let row = await world.engine.details(of: id)?.snapshot
    #expect(row?.task?.sentByteCount == 0)
    #expect(row?.bytesReceived == 0)
  }

  @Test func `an upload has a speed and a remaining time`() async throws {
    let world = try await EngineWorld()
    let (id, request) = try await started(task(Self.upload), in: world)
    #expect(await world.engine.details(of: id)?.snapshot.state == .running)
    for sent: Int64 in [500, 1000, 1500] {
      world.transport.sent(request.id, sent)
      _ = await world.engine.details(of: id)
      await world.advance(milliseconds: 250)
      await world.told.wait { events in
        events.contains { event in
          guard case .progress(let row, _) = event else { return false }
          return row.bytesReceived == sent
        }
      }
    }
    let row = try #require(await world.engine.details(of: id)?.snapshot)
    #expect(row.bytesPerSecond == 2000)
    #expect(row.secondsLeft == 2)
    _ = await world.engine.control(.pause, [id])
    #expect(await world.engine.details(of: id)?.snapshot.bytesReceived == 0)
  }

  @Test func `a retry discards the bytes of an incomplete response`() async throws {
    let world = try await EngineWorld()
    let (id, first) = try await started(task(Self.upload), in: world)
    world.transport.head(first.id, 200, ["Content-Length": "6", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(first.id)) }
    world.transport.body(first.id, [9, 9, 9, 9, 9])
    world.transport.end(first.id, .failed(TransferFailure(.connectionLost, on: "files.example")))
    await world.told.wait(for: .waiting, of: id)
    await world.advance(milliseconds: 2000)
    let second = await world.transport.request(2)
    #expect(await world.engine.details(of: id)?.snapshot.bytesReceived == 0)
    world.transport.head(second.id, 200, ["Content-Length": "3", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(second.id)) }
    world.transport.body(second.id, [1, 2, 3])
    world.transport.end(second.id, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: EngineWorld.held + "/a.iso") == [1, 2, 3])
  }

  @Test func `a crash in the middle of a response discards its bytes`() async throws {
    let world = try await EngineWorld()
    let (id, first) = try await started(task(Self.upload), in: world)
    world.transport.head(first.id, 200, ["Content-Length": "6", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(first.id)) }
    world.transport.body(first.id, [9, 9, 9, 9, 9])

    let next = try await EngineWorld(after: world)
    let second = await next.transport.request(1)
    #expect(second.headers.allSatisfy { $0.name.hasPrefix("Upload-") })
    next.transport.head(second.id, 200, ["Content-Length": "3"])
    await next.transport.called { $0.contains(.accept(second.id)) }
    next.transport.body(second.id, [1, 2, 3])
    next.transport.end(second.id, .complete)
    await next.told.wait(for: .completed, of: id)
    #expect(next.files.bytes(at: EngineWorld.held + "/a.iso") == [1, 2, 3])
  }

  // MARK: Directories

  @Test func `the file of a task without a directory is held for its program`() async throws {
    let world = try await EngineWorld()
    let (id, request) = try await started(task(), in: world)
    world.transport.head(request.id, 404, ["Content-Length": "3"])
    await world.transport.called { $0.contains(.accept(request.id)) }
    world.transport.body(request.id, [1, 2, 3])
    world.transport.end(request.id, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.paths == [EngineWorld.held + "/a.iso"])
    let row = await world.engine.details(of: id)?.snapshot
    #expect(row?.path == EngineWorld.held + "/a.iso")
    #expect(row?.task?.reply?.status == 404)
    #expect(world.journal.records[id]?.task?.reply?.status == 404)
    #expect(world.journal.records[id]?.spec.directory == nil)
  }

  @Test func `the file of a task with a directory is created there`() async throws {
    let world = try await EngineWorld()
    world.files.makeDirectory("/films")
    var spec = task()
    spec.directory = "/films"
    let (_, request) = try await started(spec, in: world)
    world.transport.head(request.id, 200, ["Content-Length": "3"])
    await world.transport.called { $0.contains(.accept(request.id)) }
    #expect(world.files.paths == ["/films/a.iso.part"])
  }

  // MARK: Reporting

  @Test func `a failure is reported once, after it is committed`() async throws {
    let world = try await EngineWorld()
    let (id, request) = try await started(task(), in: world)
    world.transport.head(request.id, 302, ["Location": "gopher://h/"])
    await world.told.wait(for: .failed, of: id)
    let record = world.journal.records[id]
    #expect(record?.state == .failed)
    #expect(record?.finishedAt != nil)
    #expect(world.told.states(of: id).count { $0 == .failed } == 1)
  }

  // MARK: Settings of the program

  @Test func `the request timeout of a task applies to its attempts`() async throws {
    let world = try await EngineWorld()
    var spec = task()
    spec.task?.requestTimeoutMilliseconds = 300_000
    let (_, request) = try await started(spec, in: world)
    #expect(request.timeouts.idleMilliseconds == 300_000)
    #expect(request.timeouts.headMilliseconds == 300_000)
    #expect(request.timeouts.slowMilliseconds == 300_000)
    #expect(request.timeouts.connectMilliseconds == 30_000)
  }

  @Test func `the expected size is shown until the server reports one`() async throws {
    let world = try await EngineWorld()
    var spec = task()
    spec.task?.expectedReceiveByteCount = 4000
    let (id, request) = try await started(spec, in: world)
    #expect(await world.engine.details(of: id)?.snapshot.bytesExpected == 4000)
    world.transport.head(request.id, 200, ["Content-Length": "3"])
    await world.transport.called { $0.contains(.accept(request.id)) }
    #expect(await world.engine.details(of: id)?.snapshot.bytesExpected == 3)
  }

  @Test func `the expected size must fit on the disk if the server reports none`() async throws {
    let world = try await EngineWorld()
    world.files.setFreeBytes(1000)
    var spec = task()
    spec.task?.expectedReceiveByteCount = 4000
    let (id, request) = try await started(spec, in: world)
    world.transport.head(request.id, 200)
    await world.told.wait(for: .waiting, of: id)
    #expect(await world.engine.details(of: id)?.snapshot.reason == .diskSpace)

    // A size reported by the server takes precedence over the estimate.
    await world.advance(milliseconds: 10_000)
    let second = await world.transport.request(2)
    world.transport.head(second.id, 200, ["Content-Length": "3"])
    await world.transport.called { $0.contains(.accept(second.id)) }
  }

  @Test func `a task that times out keeps its bytes`() async throws {
    let world = try await EngineWorld()
    var spec = task()
    spec.task?.resourceTimeoutMilliseconds = 60_000
    let (id, request) = try await started(spec, in: world)
    world.transport.head(request.id, 200, ["Content-Length": "6", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(request.id)) }
    world.transport.body(request.id, [1, 2, 3])
    await world.advance(milliseconds: 60_000)
    await world.told.wait(for: .failed, of: id)
    #expect(world.journal.records[id]?.failure?.code == .timedOut)
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 3)
    #expect(world.transport.calls.contains(.cancel(request.id)))
  }
}
