import KettleModel
import Testing

@testable import KettleScheduler

/// What is listed about hosts, and how it is forgotten.
struct HostResetTests {
  @Test func `a host that cannot be reached is listed and can be reset`() throws {
    let start = SchedulerScript().now.monotonic
    var world = OutageScript { _, now in
      now.monotonic.milliseconds(since: start) < 20_000 ? OutageScript.refused : nil
    }
    for index in 0..<30 { world.script.add(spec("http://files.example/\(index)")) }
    world.run(milliseconds: 21_000)
    let host = try #require(world.script.scheduler.hosts(at: world.script.now).first)
    #expect(host.origin == "http://files.example")
    #expect(host.outage?.since == world.start.wall)
    #expect(host.outage?.error == OutageScript.refused)
    #expect(host.queuedCount > 0)
    let (origins, output) = world.script.scheduler.resetHosts(
      named: "files.example", at: world.script.now)
    #expect(origins == ["http://files.example"])
    world.script.run(output)
    world.settle()
    #expect(world.count(.completed) == 30)
    #expect(world.script.scheduler.hosts(at: world.script.now).isEmpty)
  }

  @Test func `an outage that concerns no transfer is not listed`() {
    var world = OutageScript { _, _ in OutageScript.refused }
    let id = world.script.add(spec())
    world.settle()
    #expect(world.script.scheduler.hosts(at: world.script.now).first?.outage != nil)
    world.script.control(.stop, id)
    #expect(world.script.scheduler.hosts(at: world.script.now).first?.outage == nil)
  }

  @Test func `speeds and the queue of the store are part of a host`() {
    var script = SchedulerScript()
    script.add(spec())
    let origin = spec().url.origin
    let other = url("http://other.example/").origin
    let hosts = script.scheduler.hosts(at: script.now, speeds: [origin: 9], stored: [other: 91])
    #expect(hosts.map(\.origin) == ["http://files.example", "http://other.example"])
    #expect(hosts.map(\.bytesPerSecond) == [9, nil])
    #expect(hosts.map(\.queuedCount) == [0, 91])
  }

  @Test func `an unknown host is not reset`() {
    var script = SchedulerScript()
    script.add(spec())
    for name in ["other.example", "files.example"] {
      let origins = script.scheduler.resetHosts(named: name, at: script.now).origins
      #expect(origins.isEmpty)
    }
  }

  @Test(arguments: ["files.example", "FILES.example", "files.example:80", "http://files.example"])
  func `a host is named in several ways`(name: String) throws {
    var script = SchedulerScript()
    script.add(spec())
    script.head(try #require(script.attempt), 503, ["Retry-After": "100"])
    #expect(script.scheduler.hosts(at: script.now).first?.closedUntil != nil)
    let origins = script.scheduler.resetHosts(named: name, at: script.now).origins
    #expect(origins == ["http://files.example"])
    #expect(script.scheduler.hosts(at: script.now).first?.closedUntil == nil)
  }
}
