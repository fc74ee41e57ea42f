import KettleModel
import KettleScheduler
import Testing

/// The user's rules when the response arrives, as scripts of events.
struct RuledResponseTests {
  private func rule(
    _ number: Int, type: String? = nil, name: String? = nil, host: String? = nil,
    _ set: (inout TransferRule.Effects) -> Void
  ) throws -> TransferRule {
    var rule = TransferRule(number: number)
    rule.conditions.types = try type.map { [try #require(MediaTypePattern($0))] } ?? []
    rule.conditions.names = try name.map { [try #require(NamePattern($0))] } ?? []
    rule.conditions.hosts = host.map { [$0] } ?? []
    set(&rule.effects)
    return rule
  }

  /// Adds a transfer as the engine does.
  private func add(
    _ rules: [TransferRule], _ script: inout SchedulerScript,
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) -> TransferID {
    script.scheduler.setRules(TransferRules(rules, documentsDirectory: "/downloads"))
    var wanted = TransferSpec(url: url("http://files.example/a.bin"))
    change(&wanted)
    return script.add(script.scheduler.completed([wanted])[0])
  }

  @Test func `the type decides about directory, title and limit`() throws {
    var script = SchedulerScript()
    let rules = [
      try rule(1, type: "video/*") {
        $0.directory = "Videos"
        $0.title = "{name}"
        $0.limitBytesPerSecond = 500
      },
      try rule(2, host: "files.example") {
        $0.directory = "/files"
        $0.priority = .high
      },
    ]
    let id = add(rules, &script)
    #expect(script.record(id)?.spec.directory == "/files")
    #expect(script.record(id)?.spec.priority == .high)
    script.head(try #require(script.attempt), 200, ["Content-Type": "video/mp4"])
    let spec = try #require(script.record(id)?.spec)
    #expect(spec.directory == "/downloads/Videos")
    #expect(spec.title == "a.bin")
    #expect(spec.limitBytesPerSecond == 500)
    #expect(spec.priority == .normal)
    #expect(spec.options.rule?.number == 1)
    #expect(script.actions.contains(.limit(id, bytesPerSecond: 500)))
    // The store has it before a byte is written.
    #expect(
      script.changes.contains { change in
        if case .put(let record) = change { record.spec == spec } else { false }
      })
  }

  @Test func `the server's name for the file counts`() throws {
    var script = SchedulerScript()
    let id = add([try rule(1, name: "*.iso") { $0.directory = "/iso" }], &script)
    #expect(script.record(id)?.spec.directory == "/downloads")
    script.head(
      try #require(script.attempt), 200,
      ["Content-Disposition": "attachment; filename=disk.iso"])
    #expect(script.record(id)?.spec.directory == "/iso")
  }

  @Test func `what the user chose stays, also what was chosen while it ran`() throws {
    var script = SchedulerScript()
    let rules = [
      try rule(1, type: "video/*") {
        $0.directory = "/videos"
        $0.limitBytesPerSecond = 500
        $0.priority = .low
      }
    ]
    let id = add(rules, &script) { $0.directory = "/own" }
    script.control(.limit(700), id)
    script.control(.limit(nil), id)
    script.control(.prioritize(.normal), id)
    script.head(try #require(script.attempt), 200, ["Content-Type": "video/mp4"])
    let spec = try #require(script.record(id)?.spec)
    #expect(spec.directory == "/own")
    #expect(spec.limitBytesPerSecond == nil)
    #expect(spec.priority == .normal)
    #expect(spec.options.rule?.properties == [])
  }

  @Test func `a file that exists partly stays where it is`() throws {
    var script = SchedulerScript()
    let id = add([try rule(1, type: "video/*") { $0.directory = "/videos" }], &script)
    let first = try #require(script.attempt)
    script.head(first, 200, ["ETag": "\"v1\"", "Content-Length": "1000", "Content-Type": "a/b"])
    script.opened(first, partial())
    script.settled(
      first, .failed(TransferFailure(.connectionLost, on: "files.example")), durable: 400)
    script.advance(milliseconds: 60_000)
    script.timePasses()
    let second = try #require(script.attempt)
    #expect(second != first)
    script.head(
      second, 206,
      [
        "ETag": "\"v1\"", "Content-Range": "bytes 400-999/1000", "Content-Length": "600",
        "Content-Type": "video/mp4",
      ])
    #expect(script.record(id)?.spec.directory == "/downloads")
    #expect(script.record(id)?.spec.options.rule == nil)
  }

  @Test func `a task of a program is left alone`() throws {
    var script = SchedulerScript()
    let id = add([try rule(1, type: "video/*") { $0.directory = "/videos" }], &script) {
      $0.session = SessionID(rawValue: "books")
      $0.task = TaskOptions(kind: .download)
      $0.directory = "/task"
    }
    script.head(try #require(script.attempt), 200, ["Content-Type": "video/mp4"])
    #expect(script.record(id)?.spec.directory == "/task")
  }

  @Test func `a joined playlist counts as what its segments are`() throws {
    var script = SchedulerScript()
    let id = add([try rule(1, type: "video/*", name: "*.ts") { $0.directory = "/videos" }], &script)
    {
      $0 = TransferSpec(url: url("http://files.example/show.m3u8"))
    }
    let attempt = try #require(script.attempt)
    script.head(attempt, 200)
    let playlist = Array("#EXTM3U\n#EXTINF:6,\ns0.ts\n#EXT-X-ENDLIST\n".utf8)
    script.settled(attempt, .document(ArrivedDocument(playlist, as: .playlist)))
    script.head(try #require(script.attempt), 200, ["Content-Length": "100"])
    #expect(script.record(id)?.spec.directory == "/videos")
  }

  /// A script with the queue `night`, which is closed.
  private func closedNight() throws -> (SchedulerScript, QueueName) {
    let night = try #require(QueueName("night"))
    var script = SchedulerScript()
    // 1970-01-01T00:00Z
    script.now.wall = WallTime(millisecondsSince1970: 0)
    let hours = try #require(WeeklyHours("01:00-06:00"))
    script.run(script.scheduler.setQueues([night: .init(hours: hours)], at: script.now))
    return (script, night)
  }

  @Test func `a rule puts a transfer into a queue`() throws {
    var (script, night) = try closedNight()
    let id = add([try rule(1, host: "files.example") { $0.queue = night }], &script)
    #expect(script.record(id)?.spec.options.queue == night)
    #expect(script.state(id) == .queued)
    let own = add([try rule(1, host: "files.example") { $0.queue = .standard }], &script)
    #expect(script.record(own)?.spec.options.queue == nil)
    #expect(script.record(own)?.spec.options.rule?.properties == [.queue])
    #expect(script.state(own) == .running)
  }

  @Test func `a response moves its transfer to a closed queue, and the user moves it back`() throws
  {
    var (script, night) = try closedNight()
    let id = add([try rule(1, type: "video/*") { $0.queue = night }], &script)
    #expect(script.state(id) == .running)
    script.head(try #require(script.attempt), 200, ["Content-Type": "video/mp4"])
    script.settledAll()
    #expect(script.record(id)?.spec.options.queue == night)
    #expect(script.state(id) == .queued)

    script.run(script.scheduler.assign([id], to: .standard, at: script.now).1)
    #expect(script.state(id) == .running)
    script.head(try #require(script.attempt), 200, ["Content-Type": "video/mp4"])
    #expect(script.record(id)?.spec.options.queue == nil)
    #expect(script.state(id) == .running)
  }

  @Test func `a host in the settings has its own number of connections`() {
    var limits = TransferQueue.Limits()
    limits.connectionsMaxOfHost[name: "files.example"] = 1
    var script = SchedulerScript(limits: limits)
    script.add(spec("http://dl.files.example/1"))
    let second = script.add(spec("http://dl.files.example/2"))
    let other = script.add(spec("http://other.example/3"))
    #expect(script.state(second) == .queued)
    #expect(script.state(other) == .running)
  }
}
