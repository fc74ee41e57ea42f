import Glibc
import KettleEngine
import KettleModel
import KettleRPC
import TestSupport
import Testing

@testable import KettleDaemon

/// The methods of the RPC. One download runs at a time, and the network stays silent.
struct RPCMethodsTests {
  private func refusal(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch let error as RPCError {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  @Test func `a download is added as its options say`() async throws {
    let world = try await RPCWorld()
    let gid = try await world.call(
      "addUri", ["http://a.example/f", "http://b.example/f"],
      ["out": "sub/name.bin", "pause": "true", "header": ["A: b"], "bt-x": "y"])
    #expect(try await world.field("status", of: gid) == "paused")
    #expect(try await world.field("dir", of: gid) == .text(world.directory + "/sub"))
    let options = try await world.call("getOption", gid).object ?? [:]
    #expect(options["out"] == "name.bin")
    #expect(options["header"] == "A: b")
    #expect(options["bt-x"] == "y")
    let uris = try await world.call("getUris", gid).list?.compactMap { $0.object?["uri"] }
    #expect(uris == ["http://a.example/f", "http://b.example/f"])
  }

  @Test func `a rule of the user's decides where the client chooses nothing`() async throws {
    let world = try await RPCWorld()
    var rule = TransferRule(number: 1)
    rule.conditions.fileExtensions = ["iso"]
    rule.effects.directory = "/data/images"
    await world.engine.setRules([rule], TransferDefaults())
    func directory(_ options: [String: RPCValue]) async throws -> RPCValue? {
      let gid = try await world.call("addUri", ["http://a.example/f.iso"], .object(options))
      return try await world.field("dir", of: gid)
    }
    #expect(try await directory([:]) == "/data/images")
    #expect(try await directory(["out": "g.iso"]) == "/data/images")
    #expect(try await directory(["dir": .text(world.directory)]) == .text(world.directory))
    #expect(try await directory(["out": "sub/f.iso"]) == .text(world.directory + "/sub"))
    let message = await refusal { _ = try await directory(["dir": "/data/images"]) }
    #expect(message?.contains("is not allowed") == true)
  }

  @Test(
    arguments: [
      ([], [:], "No URI to download."), (["magnet:?xt=1"], [:], "The URI \"magnet:?xt=1\" cannot"),
      (["file:///etc/passwd"], [:], "The URI \"file:///etc/passwd\" cannot"),
      (["http://a/"], ["dir": "/etc"], "The directory /etc is not allowed"),
      (["http://a/"], ["out": "../x"], "The path \"../x\" contains"),
      (["http://a/"], ["split": "x"], "The option split is \"x\""),
    ] as [([RPCValue], [String: RPCValue], String)])
  func `what cannot be added is refused, and nothing is`(
    uris: [RPCValue], options: [String: RPCValue], text: String
  ) async throws {
    let world = try await RPCWorld()
    let message = await refusal { try await world.call("addUri", .list(uris), .object(options)) }
    #expect(message?.hasPrefix(text) == true, "\(message ?? "accepted")")
    #expect(try await world.names("tellWaiting") == [])
  }

  @Test func `a directory that leads elsewhere is refused`() async throws {
    let world = try await RPCWorld()
    #expect(symlink("/etc", world.directory + "/link") == 0)
    let message = await refusal {
      _ = try await world.add("f", ["dir": .text(world.directory + "/link/new")])
    }
    #expect(message?.contains("is outside the allowed") == true, "\(message ?? "accepted")")
  }

  @Test func `downloads are found by the first digits of their names`() async throws {
    let world = try await RPCWorld()
    let chosen = try await world.add("f", ["pause": "true", "gid": "00000000deadbeef"])
    #expect(chosen == "00000000deadbeef")
    #expect(try await world.field("gid", of: "00000000d") == chosen)
    #expect(await refusal { try await world.call("tellStatus", "1234") } == "GID 1234 is not found")
    for number in 0..<20 { _ = try await world.add("\(number)") }
    // 21 downloads cannot have 16 different digits.
    var ambiguous = 0
    for digit in "0123456789abcdef" {
      let text = await refusal { try await world.call("tellStatus", .text(String(digit))) }
      if text == "GID \(digit) is not unique" { ambiguous += 1 }
    }
    #expect(ambiguous > 0)
    let taken = await refusal { _ = try await world.add("g", ["gid": "00000000deadbeef"]) }
    #expect(taken == "GID 00000000deadbeef is already used.")
  }

  @Test func `a name survives the service`() async throws {
    let before = try await RPCWorld()
    _ = try await before.add("f", ["pause": "true", "gid": "00000000deadbeef"])
    await before.engine.shutDown()
    let after = try await RPCWorld(before.journal)
    #expect(try await after.field("status", of: "00000000deadbeef") == "paused")
  }

  @Test func `lists have their parts, forwards and backwards`() async throws {
    let world = try await RPCWorld()
    _ = try await world.add("running", [:])
    for name in ["a", "b", "c", "d"] { _ = try await world.add(name) }
    #expect(try await world.call("tellActive").list?.count == 1)
    #expect(try await world.names("tellWaiting") == ["a", "b", "c", "d"])
    #expect(try await world.names("tellWaiting", 1, 2) == ["b", "c"])
    #expect(try await world.names("tellWaiting", -1, 2) == ["d", "c"])
    #expect(try await world.names("tellWaiting", -2, 9) == ["c", "b", "a"])
    #expect(try await world.names("tellWaiting", 9, 9) == [])
    let statistics = try await world.call("getGlobalStat").object ?? [:]
    #expect(statistics["numActive"] == "1")
    #expect(statistics["numWaiting"] == "4")
    #expect(statistics["numStopped"] == "0")
  }

  @Test func `controls apply where aria2 applies them`() async throws {
    let world = try await RPCWorld()
    let gid = try await world.add("f")
    let name = gid.text ?? ""
    #expect(
      await refusal { try await world.call("pause", gid) } == "GID#\(name) cannot be paused now")
    #expect(try await world.call("unpause", gid) == gid)
    #expect(
      await refusal { try await world.call("unpause", gid) }
        == "GID#\(name) cannot be unpaused now")
    #expect(try await world.field("status", of: gid) == "active")
    #expect(try await world.call("forcePause", gid) == gid)
    #expect(try await world.call("unpauseAll") == "OK")
    #expect(try await world.field("status", of: gid) == "active")
    #expect(try await world.call("pauseAll") == "OK")
    #expect(try await world.field("status", of: gid) == "paused")
    #expect(
      await refusal { try await world.call("removeDownloadResult", gid) }
        == "Could not remove download result of GID#\(name)")
  }

  @Test func `a removed download stays until it is purged`() async throws {
    let world = try await RPCWorld()
    let gid = try await world.add("f", [:])
    #expect(try await world.call("remove", gid) == gid)
    #expect(try await world.field("status", of: gid) == "removed")
    #expect(try await world.field("errorCode", of: gid) == "31")
    #expect(try await world.names("tellStopped") == ["f"])
    #expect(await refusal { try await world.call("remove", gid) } != nil)
    #expect(try await world.call("getGlobalStat").object?["numStopped"] == "1")
    #expect(try await world.call("purgeDownloadResult") == "OK")
    #expect(try await world.names("tellStopped") == [])
    #expect(await refusal { try await world.call("tellStatus", gid) } != nil)
  }

  /// The transfer 1 failed with 1000 bytes of http://a.example/f.
  private static func failedTransfer(in directory: String) throws -> TransferRecord {
    let time = WallTime(millisecondsSince1970: 0)
    var record = TransferRecord(
      id: TransferID(rawValue: 1), taskIdentifier: 1,
      spec: TransferSpec(url: try TransferURL.parse("http://a.example/f").get().url),
      createdAt: time, queuePosition: 1, state: .failed)
    record.spec.directory = directory
    record.finishedAt = time
    record.failure = TransferFailure(.httpStatus, on: "http://a.example/f", detail: "500 Oops")
    var held = ByteRangeSet()
    if let range = ByteRange(lower: 0, upper: 1000) { held.insert(range) }
    record.resumeData = ResumeData(
      partialPath: directory + "/f.part", device: 1, inode: 1, durable: held,
      totalByteCount: 5000,
      validator: Validator(entityTag: "\"1\"", lastModified: nil, isLastModifiedStrong: false),
      finalName: "f")
    return record
  }

  @Test func `a removed download that is brought back is no longer told as removed`() async throws {
    let world = try await RPCWorld()
    let gid = try await world.add("f", [:])
    _ = try await world.call("remove", gid)
    #expect(try await world.names("tellStopped") == ["f"])
    _ = try await world.engine.undo(nil)
    #expect(try await world.names("tellStopped") == [])
    #expect(try await world.field("status", of: gid) != "removed")
  }

  @Test func `a failed download hands its bytes to the one that is added in its place`()
    async throws
  {
    let world = try await RPCWorld(with: { [try Self.failedTransfer(in: $0)] })
    let old = RPCValue.text(GID(TransferID(rawValue: 1)).description)
    let held = try await world.field("completedLength", of: old)
    #expect(held == "1000")
    let options = try await world.call("getOption", old)
    let new = try await world.call("addUri", ["http://a.example/f"], options)
    #expect(new != old)
    #expect(try await world.field("completedLength", of: new) == "1000")
    #expect(try await world.field("status", of: new) == "active")
    #expect(try await world.field("completedLength", of: old) == "0")
    _ = try await world.call("removeDownloadResult", old)
    #expect(try await world.field("completedLength", of: new) == "1000")
  }

  @Test func `positions count within the waiting downloads`() async throws {
    let world = try await RPCWorld()
    _ = try await world.add("running", [:])
    var gids: [RPCValue] = []
    for name in ["a", "b", "c", "d", "e"] { gids.append(try await world.add(name)) }
    let move: (Int, Int64, String) async throws -> RPCValue = { index, offset, origin in
      try await world.call("changePosition", gids[index], .integer(offset), .text(origin))
    }
    #expect(try await move(4, 1, "POS_SET") == .integer(1))
    #expect(try await world.names("tellWaiting") == ["a", "e", "b", "c", "d"])
    #expect(try await move(0, 2, "POS_CUR") == .integer(2))
    #expect(try await world.names("tellWaiting") == ["e", "b", "a", "c", "d"])
    #expect(try await move(1, -1, "POS_END") == .integer(3))
    #expect(try await world.names("tellWaiting") == ["e", "a", "c", "b", "d"])
    #expect(try await move(3, -100, "POS_CUR") == .integer(0))
    #expect(try await world.names("tellWaiting") == ["d", "e", "a", "c", "b"])
    #expect(try await move(3, .max, "POS_CUR") == .integer(4))
    #expect(try await world.names("tellWaiting") == ["e", "a", "c", "b", "d"])
    _ = try await world.call("addUri", ["http://a.example/new"], ["pause": "true"], .integer(1))
    #expect(try await world.names("tellWaiting") == ["e", "new", "a", "c", "b", "d"])
    let active = try await world.call("tellActive").list?.first?.object?["gid"] ?? ""
    #expect(
      await refusal {
        _ = try await world.call("changePosition", active, .integer(0), "POS_SET")
      }?.hasSuffix("not found in the waiting queue.") == true)
  }

  @Test func `a limit is changed in place, and other options only if they stay`() async throws {
    let world = try await RPCWorld()
    let gid = try await world.add("f", ["pause": "true", "out": "f.bin"])
    #expect(
      try await world.call(
        "changeOption", gid, ["max-download-limit": "50K", "out": "f.bin", "bt-x": "y"]) == "OK")
    #expect(try await world.call("getOption", gid).object?["max-download-limit"] == "51200")
  }

  @Test func `options of a paused download change, and those of a running one do not`() async throws
  {
    let world = try await RPCWorld()
    let gid = try await world.add(
      "f", ["pause": "true", "out": "f.bin", "http-user": "you", "http-passwd": "p"])
    let all = try await world.call("getOption", gid).object ?? [:]
    let changes: [String: RPCValue] = [
      "out": "sub/g.bin", "dir": .text(world.directory + "/x"), "header": ["A: b", "C: d"],
      "split": "3", "user-agent": "U", "http-user": "me",
    ]
    // A form sends all options, changed or not.
    #expect(
      try await world.call("changeOption", gid, .object(all.merging(changes) { $1 })) == "OK")
    let options = try await world.call("getOption", gid).object ?? [:]
    #expect(options["out"] == "g.bin")
    #expect(options["dir"] == .text(world.directory + "/x/sub"))
    #expect(options["header"] == "A: b\nC: d")
    #expect((options["split"], options["user-agent"]) == ("3", "U"))
    #expect((options["http-user"], options["http-passwd"]) == ("me", "p"))
    #expect(try await world.field("status", of: gid) == "paused")
    for impossible: [String: RPCValue] in [
      ["dir": "/etc"], ["out": "../x"], ["header": ["Transfer-Encoding: chunked"]],
      ["split": "x"], ["gid": "00000000000000ff"],
    ] {
      #expect(
        await refusal { try await world.call("changeOption", gid, .object(impossible)) } != nil)
    }
    #expect(try await world.call("getOption", gid).object == options)
    #expect(try await world.call("unpause", gid) == gid)
    #expect(try await world.field("status", of: gid) == "active")
    let message = await refusal { try await world.call("changeOption", gid, ["out": "h.bin"]) }
    #expect(message?.contains("can only be changed while it is paused") == true, "\(message ?? "")")
    // Paused in the middle, it can be changed and continued.
    #expect(try await world.call("pause", gid) == gid)
    #expect(try await world.call("changeOption", gid, ["out": "h.bin"]) == "OK")
    #expect(try await world.call("unpause", gid) == gid)
    #expect(try await world.field("status", of: gid) == "active")
  }

  @Test func `URLs of a paused download change, and it stays paused`() async throws {
    let world = try await RPCWorld()
    let gid = try await world.add("f", ["pause": "true", "header": "Cookie: secret"])
    func uris() async throws -> [RPCValue?]? {
      try await world.call("getUris", gid).list?.map { $0.object?["uri"] }
    }
    func change(_ removed: [RPCValue], _ added: [RPCValue]) async throws -> RPCValue {
      try await world.call("changeUri", gid, .integer(1), .list(removed), .list(added))
    }
    #expect(try await change([], ["http://a.example/g"]) == [.integer(0), .integer(1)])
    #expect(try await uris() == ["http://a.example/f", "http://a.example/g"])
    #expect(try await change(["http://a.example/f"], []) == [.integer(1), .integer(0)])
    #expect(try await uris() == ["http://a.example/g"])
    #expect(try await world.call("getOption", gid).object?["header"] == "Cookie: secret")
    #expect(
      try await change(["http://a.example/g"], ["http://b.example/h", "http://c.example/h"])
        == [.integer(1), .integer(2)])
    #expect(try await uris() == ["http://b.example/h", "http://c.example/h"])
    #expect(try await world.call("getOption", gid).object?["header"] == nil)
    #expect(try await world.field("status", of: gid) == "paused")
    #expect(
      await refusal { _ = try await change(["http://b.example/h", "http://c.example/h"], []) }
        != nil)
    #expect(await refusal { _ = try await change([], ["magnet:?x"]) } != nil)
    #expect(try await uris()?.count == 2)
  }

  @Test func `global options apply to the service and to new downloads`() async throws {
    let world = try await RPCWorld()
    #expect(
      try await world.call(
        "changeGlobalOption",
        [
          "max-overall-download-limit": "1M", "max-concurrent-downloads": "3", "split": "2",
          "dir": .text(world.directory + "/x"),
        ]) == "OK")
    let options = try await world.call("getGlobalOption").object ?? [:]
    #expect(options["max-overall-download-limit"] == "1048576")
    #expect(options["max-concurrent-downloads"] == "3")
    #expect(options["dir"] == .text(world.directory + "/x"))
    let gid = try await world.add("f")
    #expect(try await world.field("dir", of: gid) == .text(world.directory + "/x"))
    #expect(try await world.call("getOption", gid).object?["split"] == "2")
    for name in ["a", "b", "c", "d"] { _ = try await world.add(name, [:]) }
    #expect(try await world.call("tellActive").list?.count == 3)
    #expect(await refusal { try await world.call("changeGlobalOption", ["dir": "/etc"]) } != nil)
    #expect(await refusal { try await world.call("changeGlobalOption", ["log": "/tmp/x"]) } != nil)
  }

  @Test func `a Metalink becomes several downloads`() async throws {
    let world = try await RPCWorld()
    let text = """
      <metalink xmlns="urn:ietf:params:xml:ns:metalink">
      <file name="one"><url>http://a.example/1</url><url>http://b.example/1</url></file>
      <file name="two"><url>http://a.example/2</url></file></metalink>
      """
    let gids = try await world.call(
      "addMetalink", .text(Base64Bytes(Array(text.utf8)).text), ["pause": "true"])
    #expect(gids.list?.count == 2)
    #expect(try await world.names("tellWaiting") == ["1", "2"])
    let first = gids.list?.first ?? ""
    #expect(try await world.call("getOption", first).object?["out"] == "one")
    #expect(try await world.call("getUris", first).list?.count == 2)
    #expect(await refusal { try await world.call("addMetalink", "PG0vPg==") } != nil)
    #expect(await refusal { try await world.call("addTorrent", "x") } != nil)
  }

  @Test func `clients are told of each change once`() async throws {
    let world = try await RPCWorld()
    let gid = try await world.add("f")
    let name = gid.text ?? ""
    #expect(world.notifications == [])
    _ = try await world.call("unpause", gid)
    _ = try await world.call("pause", gid)
    _ = try await world.call("unpause", gid)
    _ = try await world.call("remove", gid)
    #expect(
      world.notifications == [
        "aria2.onDownloadStart \(name)", "aria2.onDownloadPause \(name)",
        "aria2.onDownloadStart \(name)", "aria2.onDownloadStop \(name)",
      ])
  }
}
