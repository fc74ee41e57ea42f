import KettleModel
import KettleScheduler
import Testing

struct RecoveryTests {
  private func recovered(
    damaged: [ByteRange]? = [], _ change: (inout TransferRecord) -> Void
  ) -> SchedulerScript {
    var record = TransferRecord(
      id: TransferID(rawValue: 3), taskIdentifier: 1, spec: spec(),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: 9, state: .running)
    change(&record)
    var script = SchedulerScript()
    script.damaged = damaged
    let output = script.scheduler.recover([record], at: script.now)
    script.run(output)
    return script
  }

  private let id = TransferID(rawValue: 3)

  @Test func `a running transfer resumes from its bytes after a restart`() {
    let script = recovered { $0.resumeData = partial(durable: 640) }
    #expect(script.state(id) == .running)
    #expect(script.plan?.headers.first?.value == "bytes=640-")
  }

  @Test func `after a crash nothing is requested before the durable bytes are compared`() throws {
    var script = recovered(damaged: nil) { $0.resumeData = partial(durable: 640) }
    #expect(script.state(id) == .verifying)
    guard case .checkBlocks(id, let operation, let resumeData)? = script.lastAction else {
      Issue.record("expected a comparison, got \(String(describing: script.lastAction))")
      return
    }
    #expect(resumeData.durable == ByteRangeSet(prefix: 640))
    let damaged = try #require(ByteRange(lower: 100, upper: 200))
    script.handle(.file(id, .blocksChecked(damaged: [damaged], by: operation)))
    #expect(script.state(id) == .running)
    #expect(script.plan?.headers.first?.value == "bytes=100-199")
    // The answer to an earlier comparison means nothing.
    script.handle(.file(id, .blocksChecked(damaged: [damaged], by: operation)))
    #expect(script.state(id) == .running)
  }

  @Test func `a partial file that was closed is not compared`() {
    let script = recovered(damaged: nil) {
      $0.resumeData = partial(durable: 640)
      $0.resumeData?.lastWriteNanoseconds = 5
    }
    #expect(script.state(id) == .running)
  }

  @Test func `a pause interrupts the comparison, and the next start repeats it`() {
    var script = recovered(damaged: nil) { $0.resumeData = partial(durable: 640) }
    script.control(.pause, id)
    #expect(script.state(id) == .paused)
    script.control(.start, id)
    #expect(script.state(id) == .verifying)
    guard case .checkBlocks? = script.lastAction else {
      Issue.record("expected a comparison, got \(String(describing: script.lastAction))")
      return
    }
  }

  @Test func `a damaged complete file is not placed`() throws {
    let damaged = try #require(ByteRange(lower: 100, upper: 200))
    let script = recovered(damaged: [damaged]) {
      $0.resumeData = partial(durable: 1000)
    }
    #expect(script.plan?.headers.first?.value == "bytes=100-199")
  }

  // MARK: Repairs

  private func repairing(
    resumeData: Bool = true, entityTag: String? = "\"v1\""
  ) throws -> SchedulerScript {
    let damaged = try #require(ByteRange(lower: 100, upper: 200))
    var ranges = ByteRangeSet()
    ranges.insert(damaged)
    let target = try #require(
      RepairTarget(
        transfer: TransferID(rawValue: 1), path: "/downloads/a.iso",
        identity: FileIdentity(device: 1, inode: 2, byteCount: 1000, modifiedNanoseconds: 3),
        damaged: ranges))
    return recovered {
      $0.spec = spec().repairing(target)
      guard resumeData else { return }
      $0.resumeData = partial(total: 1000, entityTag: entityTag)
      $0.resumeData?.durable = target.sound
      $0.resumeData?.isProvedByDigests = true
      $0.resumeData?.lastWriteNanoseconds = 5
    }
  }

  @Test func `a repair asks for the damaged bytes alone`() throws {
    let script = try repairing()
    #expect(script.plan?.headers.map(\.value) == ["bytes=100-199", "\"v1\""])
    let unproved = try repairing(entityTag: nil)
    #expect(unproved.plan?.headers.map(\.value) == ["bytes=100-199"])
  }

  @Test func `a repair without its partial file fails and fetches nothing`() throws {
    let script = try repairing(resumeData: false)
    #expect(script.state(id) == .failed)
    #expect(script.scheduler.machines[id]?.failure?.code == .partialFileChanged)
    #expect(script.plan == nil)
  }

  @Test func `a repair asks no mirror to help, and never fetches another version`() throws {
    var script = try repairing()
    let attempt = try #require(script.plan?.attempt)
    script.head(attempt, 200, ["Content-Length": "900", "ETag": "\"v2\""])
    script.settled(attempt, .cancelled)
    let second = try #require(script.plan?.attempt)
    #expect(second != attempt)
    #expect(script.plan?.headers.map(\.value) == ["bytes=100-199"])
    script.head(second, 200, ["Content-Length": "900", "ETag": "\"v2\""])
    script.settled(second, .cancelled)
    #expect(script.state(id) == .failed)
  }

  @Test func `a paused, idle or completed transfer keeps its state after a restart`() {
    for state: TransferState in [.paused, .idle, .completed] {
      let script = recovered { $0.state = state }
      #expect(script.state(id) == state)
      #expect(script.actions.isEmpty)
    }
  }

  @Test func `a complete file is placed without another request`() {
    let script = recovered {
      var whole = partial(durable: 1000)
      whole.isWhole = true
      $0.resumeData = whole
    }
    #expect(script.state(id) == .verifying)
    guard case .placeFile(id, _, _, _)? = script.lastAction else {
      Issue.record("expected the rename, got \(String(describing: script.lastAction))")
      return
    }
  }

  @Test func `a complete but unverified file is verified first`() {
    let script = recovered {
      $0.spec.checksum = Checksum(algorithm: .md5, hex: String(repeating: "0", count: 32))
      $0.resumeData = partial(durable: 1000)
    }
    guard case .computeDigest(id, _, _, .md5)? = script.lastAction else {
      Issue.record("expected a digest, got \(String(describing: script.lastAction))")
      return
    }
  }

  @Test func `a wait continues until its date after a restart`() {
    let failure = TransferFailure(.httpStatus, on: "http://files.example/a.iso", detail: "503")
    var script = recovered {
      $0.state = .waiting
      $0.reason = .retryAfter
      $0.failure = failure
      $0.goesOnAt = SchedulerScript().now.wall.advanced(byMilliseconds: 5000)
    }
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.failure == failure)
    script.advance(milliseconds: 5000)
    script.timePasses()
    #expect(script.state(id) == .running)
  }

  @Test func `a clock set back by years does not cause a wait of years`() {
    var script = recovered {
      $0.state = .waiting
      $0.reason = .retryAfter
      $0.failure = TransferFailure(.httpStatus, on: "x", detail: "503")
      $0.goesOnAt = SchedulerScript().now.wall.advanced(byMilliseconds: 50 * 365 * 86_400_000)
    }
    script.advance(milliseconds: RetryPolicy.waitMillisecondsMax)
    script.timePasses()
    #expect(script.state(id) == .running)
  }

  @Test func `a transfer that needs the user still does after a restart`() {
    let script = recovered {
      $0.state = .waiting
      $0.reason = .needsLogin
      $0.failure = TransferFailure(.loginNeeded, on: "http://files.example/a.iso")
    }
    #expect(script.record(id)?.reason == .needsLogin)
    #expect(script.actions.isEmpty)
  }

  @Test func `new transfers get new ids and task identifiers after a restart`() {
    var script = recovered { $0.state = .paused }
    script.scheduler = TransferScheduler(
      lastID: TransferID(rawValue: 41), lastTaskIdentifiers: [.kettle: 7])
    let added = script.add(spec())
    #expect(added == TransferID(rawValue: 42))
    #expect(script.record(added)?.taskIdentifier == 8)
  }

  @Test func `a shutdown queues running transfers for the next start`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.run(script.scheduler.shutDown(at: script.now))
    #expect(script.lastAction == .cancelAttempt(attempt))
    script.settled(attempt, .cancelled, durable: 512)
    #expect(script.scheduler.hasRunning == false)
    #expect(script.attempt == attempt)
    guard case .put(let record)? = script.changes.last else {
      Issue.record("nothing was put on record")
      return
    }
    #expect(record.id == id)
    #expect(record.state == .queued)
    #expect(record.resumeData?.durable.byteCount == 512)
  }
}
